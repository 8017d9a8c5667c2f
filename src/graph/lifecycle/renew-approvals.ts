import type { Draft } from '../draft/draft.ts';
import { tasksOfRun, taskBindings } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { digestOf } from '../run/approval-digest.ts';
import { askAgain } from '../superstep/run-task.ts';
import { GraphError } from '../values/errors.ts';
import { own } from '../values/json.ts';

/**
 * Withdraws each pending approval that would show something else on the edited state, and asks again under a new id.
 * The decisions so far are void. A question that cannot be filled any more fails its node.
 */
export function renewApprovals(draft: Draft): void {
  for (const handle of tasksOfRun(draft)) if (isOutdated(handle)) askAgain(handle);
}

function isOutdated(handle: TaskHandle): boolean {
  const { state } = handle.task;
  const { fillQuestion } = handle.node.behavior;
  if (!fillQuestion || state.phase !== 'open' || state.position.kind !== 'approval') return false;
  const approval = own(handle.draft.run.approvals, state.position.approvalId);
  if (approval?.status !== 'pending') return false;
  try {
    return digestOf(fillQuestion(taskBindings(handle))) !== approval.asked;
  } catch (error) {
    if (error instanceof GraphError) return true;
    throw error;
  }
}
