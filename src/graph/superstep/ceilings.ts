import { tooLongAlone } from '../draft/allowances.ts';
import type { Frame } from '../draft/frames.ts';
import { openWidth } from '../run/scope-width.ts';
import type { RunError } from '../values/errors.ts';
import { spend } from '../values/meter.ts';

/**
 * Finds the ceiling of the installation that one more superstep would exceed. Limits of a graph bound each graph alone;
 * these bound graphs within graphs, too.
 * @param count number of its tasks
 */
export function ceilingReached(frame: Frame, count: number): RunError | null {
  const { eventsPerRun, superstepTasks } = frame.graph.catalog.ceilings;
  const { seq } = frame.draft.run.counters;
  if (seq >= eventsPerRun)
    return reached(
      frame,
      `The run has ${seq} events; this installation allows ${eventsPerRun} (ceilings.eventsPerRun)`,
    );
  const alone = tooLongAlone(frame.draft);
  if (alone !== null) return reached(frame, alone);
  const tasks = countTasks(frame, count, superstepTasks);
  if (tasks <= superstepTasks) return null;
  const allowed = `this installation allows ${superstepTasks} (ceilings.superstepTasks)`;
  return reached(frame, `${tasks} tasks would run in one superstep, with those of the graphs inside; ${allowed}`);
}

function reached({ step }: Frame, message: string): RunError {
  return { code: 'GRAPH_RECURSION_LIMIT', message, step };
}

/**
 * Counts the tasks of the run's superstep, those of graphs inside at their widest, with those of one more. The draft keeps
 * an upper bound, to which each superstep of a graph inside adds. Only when it is too high are the tasks counted anew.
 */
function countTasks({ draft, parent }: Frame, count: number, allowed: number): number {
  if (!parent) return count;
  const { load } = draft;
  if (!load.isCounted && load.tasksAtMost + count > allowed) {
    load.tasksAtMost = openWidth(draft.run.root);
    load.isCounted = true;
    spend(load.tasksAtMost);
  }
  const tasks = load.tasksAtMost + count;
  if (tasks > allowed) return tasks;
  load.tasksAtMost = tasks;
  load.isCounted = false;
  return tasks;
}
