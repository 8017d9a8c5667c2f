export { runGraph } from './run-graph.ts';
export { tickSchedule } from './schedules/tick-schedule.ts';
