export { runGraph } from './run-graph.ts';
export { tickSchedule } from './tick-schedule.ts';
