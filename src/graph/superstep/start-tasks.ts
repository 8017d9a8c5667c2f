import { TaskHandle } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
import { mustYield } from '../draft/load.ts';
import { tasksIn } from '../run/scope-place.ts';
import type { NodeTask } from '../run/scope.ts';
import { mayOpenCall } from '../run/status.ts';
import { awaitedBudget, wantsCapacity } from '../run/task-position.ts';
import { isOver, hasNotBegun } from '../run/task-state.ts';
import { own } from '../values/json.ts';
import { isBudgetAvailable, mustWaitForBudget, reservedTotals } from './budget.ts';
import type { ReservedTotals } from './budget.ts';
import { addOpen, isGroupFull, openByGroup, removeOpen } from './plan-tasks.ts';
import type { OpenByGroup } from './plan-tasks.ts';
import { askAgain, resumeTask, startTask } from './run-task.ts';

/**
 * True if a superstep can't succeed any more: a task of it has failed for good, so no other begins. A retry begins them.
 * The graphs that a model calls as tools fail each for itself.
 */
export function isLost({ scope, parent }: Frame): boolean {
  return parent?.node.callsGraphs !== true && tasksIn(scope).some(({ state }) => state.phase === 'failed');
}

/**
 * Starts ready tasks, asks withdrawn questions again, and resumes tasks that wait for concurrency or budgets, as far as
 * these allow.
 * @returns true if the draft must yield before all of them are started
 */
export function startTasks(frame: Frame): boolean {
  const { draft } = frame;
  const groups = openByGroup(tasksIn(frame.scope));
  let reserved = reservedTotals(draft);
  let lost = isLost(frame);
  for (const [index, task] of tasksIn(frame.scope).entries()) {
    if (lost && hasNotBegun(task)) continue;
    if (isOver(task) || waitsForGroup(task, groups)) continue;
    const handle = new TaskHandle(frame, task, index);
    if (!mayStartOrContinue(handle, reserved)) continue;
    if (!mayOpenCall(draft.run)) return false;
    if (mustYield(draft)) return true;
    startOrContinue(handle, groups);
    reserved = reservedTotals(draft);
    lost ||= handle.task.state.phase === 'failed' && isLost(frame);
  }
  return false;
}

function waitsForGroup({ state, group }: NodeTask, groups: OpenByGroup): boolean {
  return state.phase === 'ready' && isGroupFull(group, groups);
}

function startOrContinue(handle: TaskHandle, groups: OpenByGroup): void {
  if (handle.task.state.phase === 'ready') {
    startTask(handle);
    return addOpen(handle.task, groups);
  }
  if (isWithdrawn(handle)) askAgain(handle);
  else resumeTask(handle, { kind: 'capacity' });
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

function mayContinue(handle: TaskHandle, reserved: ReservedTotals): boolean {
  const { draft, task } = handle;
  const { state } = task;
  if (state.phase !== 'open') return false;
  if (isWithdrawn(handle)) return true;
  const needs = awaitedBudget(state.position);
  return needs ? !mustWaitForBudget(draft, needs, reserved) : wantsCapacity(state.position);
}

/** True if an edit has withdrawn the question of a task, which is not asked again yet. */
function isWithdrawn({ draft, task: { state } }: TaskHandle): boolean {
  if (state.phase !== 'open' || state.position.kind !== 'approval') return false;
  return own(draft.run.approvals, state.position.approvalId)?.status !== 'pending';
}
