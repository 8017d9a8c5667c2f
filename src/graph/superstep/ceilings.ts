import { tooLongAlone } from '../draft/allowances.ts';
import { tasksOfRun } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
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
  return reached(frame, `${tasks} tasks would be open in the graphs of the run; ${allowed}`);
}

function reached({ step }: Frame, message: string): RunError {
  return { code: 'GRAPH_RECURSION_LIMIT', message, step };
}

/**
 * Counts the tasks of all open supersteps with those of one more. The draft keeps an upper bound, from which closed
 * supersteps are not subtracted. Only when it is too high are the tasks counted anew.
 */
function countTasks({ draft, parent }: Frame, count: number, allowed: number): number {
  // Only graphs inside open supersteps beside others.
  if (!parent) return count;
  const { load } = draft;
  if (load.tasksAtMost === null || load.tasksAtMost + count > allowed) {
    load.tasksAtMost = tasksOfRun(draft).length;
    spend(load.tasksAtMost);
  }
  load.tasksAtMost += count;
  return load.tasksAtMost;
}
