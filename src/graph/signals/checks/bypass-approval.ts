import type { Draft } from '../../draft/draft.ts';
import { tasksOfRun } from '../../draft/frames.ts';
import type { TaskHandle } from '../../draft/frames.ts';
import { actorIn, refuseDecidingAlone } from '../../lifecycle/held-nodes.ts';
import type { Decidable } from '../../lifecycle/held-nodes.ts';
import type { Principal } from '../../run/principal.ts';
import type { Refusal } from '../../run/refusal.ts';
import { tasksIn } from '../../run/scope-place.ts';
import type { NodePosition, TaskState } from '../../run/scope.ts';
import { approvalsAt, scopeInside } from '../../run/task-position.ts';
import { hasResumableProgress } from '../../run/task-state.ts';
import { own } from '../../values/json.ts';

/**
 * Requires the right to decide from a person who bypasses an approval, also if the approval was canceled with its run
 * or task.
 * @param tasks the bypassed tasks; defaults to all of the run
 * @returns the reason for a refusal
 */
export function refuseBypass(
  draft: Draft,
  by: Principal,
  tasks: readonly TaskHandle[] = tasksOfRun(draft),
): Refusal | null {
  const actor = actorIn(draft, by);
  for (const id of tasks.flatMap(({ task: { state } }) => approvalsOfTask(state))) {
    const refusal = refuseDecidingAlone(own(draft.run.approvals, id) ?? droppedApproval(draft), actor);
    if (refusal) return refusal;
  }
  return null;
}

/** Returns the approvals requested so far by a task and the tasks inside it. */
function approvalsOfTask(state: TaskState): readonly string[] {
  if (state.phase === 'open') return approvalsOfPosition(state.position);
  return hasResumableProgress(state) ? approvalsOfPosition(state.saved) : [];
}

function approvalsOfPosition(position: NodePosition): readonly string[] {
  const inside = scopeInside(position);
  const tasks = inside ? tasksIn(inside) : [];
  return [...approvalsAt(position), ...tasks.flatMap(({ state }) => approvalsOfTask(state))];
}

/** An approval that the run no longer holds counts as one with an empty policy. */
function droppedApproval({ timestamp }: Draft): Decidable {
  return { policy: {}, requestedAt: timestamp };
}
