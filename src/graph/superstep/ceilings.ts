import { tooLongAlone } from '../draft/allowances.ts';
import type { Frame } from '../draft/frames.ts';
import { openWidth, widthInside } from '../run/scope-width.ts';
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
function countTasks(frame: Frame, count: number, allowed: number): number {
  if (!frame.parent) return count;
  const { load } = frame.draft;
  load.tasksAtMost += count;
  if (load.tasksAtMost > allowed) {
    load.tasksAtMost = widthWith(frame, count);
    spend(load.tasksAtMost);
  }
  return load.tasksAtMost;
}

/** The tasks of the run's superstep, once a graph inside has opened one of so many. */
function widthWith({ scope: { widest }, parent }: Frame, count: number): number {
  let width = Math.max(widest, count);
  for (let around = parent; around; around = around.frame.parent) {
    const { scope, parent: outer } = around.frame;
    const open = openWidth(scope) + Math.max(width, around.task.inside ?? 0) - widthInside(around.task);
    width = outer ? Math.max(scope.widest, open) : open;
  }
  return width;
}
