import { TaskHandle } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
import { mustYield } from '../draft/load.ts';
import { awaitedBudget, isOver, tasksIn, wantsCapacity } from '../run/position.ts';
import { isBudgetAvailable, mustWaitForBudget, reservedTotals } from './budget.ts';
import type { ReservedTotals } from './budget.ts';
import { addOpen, isGroupFull, openByGroup, removeOpen } from './plan-tasks.ts';
import type { OpenByGroup } from './plan-tasks.ts';
import { resumeTask, startTask } from './run-task.ts';
import { hasCapacity } from './task-context.ts';

/**
 * Starts ready tasks, and resumes tasks that wait for concurrency or budgets, as far as these allow.
 * @returns true if the draft must yield before all of them are started
 */
export function startTasks(frame: Frame): boolean {
  const { draft } = frame;
  const groups = openByGroup(tasksIn(frame.scope));
  let reserved = reservedTotals(draft);
  for (const [index, task] of tasksIn(frame.scope).entries()) {
    if (isOver(task) || (task.state.phase === 'ready' && isGroupFull(task.group, groups))) continue;
    const handle = new TaskHandle(frame, task, index);
    if (!mayStartOrContinue(handle, reserved)) continue;
    if (!hasCapacity(draft)) return false;
    if (mustYield(draft)) return true;
    startOrContinue(handle, groups);
    reserved = reservedTotals(draft);
  }
  return false;
}

function startOrContinue(handle: TaskHandle, groups: OpenByGroup): void {
  if (handle.task.state.phase === 'ready') {
    startTask(handle);
    return addOpen(handle.task, groups);
  }
  resumeTask(handle, { kind: 'capacity' });
  if (isOver(handle.task)) removeOpen(handle.task, groups);
}

/** True if a task may start or make another call, apart from `maxConcurrency`. */
function mayStartOrContinue(handle: TaskHandle, reserved: ReservedTotals): boolean {
  return handle.task.state.phase === 'ready' ? mayStart(handle, reserved) : mayContinue(handle, reserved);
}

/** A node that starts with a model call waits for its budgets. */
function mayStart({ draft, node }: TaskHandle, reserved: ReservedTotals): boolean {
  return !node.asksModel || isBudgetAvailable(draft, reserved);
}

function mayContinue({ draft, task: { state } }: TaskHandle, reserved: ReservedTotals): boolean {
  if (state.phase !== 'open') return false;
  const needs = awaitedBudget(state.position);
  return needs ? !mustWaitForBudget(draft, needs, reserved) : wantsCapacity(state.position);
}
