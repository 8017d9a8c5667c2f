export { runGraph } from './run-graph.ts';
export { fireSchedule } from './fire-schedule.ts';
