import { withTaskAllowance, cancelTimersAndApprovalsOf, tasksOfRun, taskBindings } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import type { Draft } from '../draft/draft.ts';
import { mustYield } from '../draft/load.ts';
import { setState } from '../draft/scope-draft.ts';
import { digestOf } from '../run/approval.ts';
import type { ApprovalPosition } from '../run/scope.ts';
import { askAgain } from '../superstep/run-task.ts';
import { GraphError } from '../values/errors.ts';
import { own } from '../values/json.ts';

/**
 * Withdraws each pending approval that would show something else on the edited state, and asks again under a new id.
 * The decisions so far are void. A question that cannot be filled any more fails its node. A call that no person has
 * approved, and that is not made yet, begins anew. Beyond what one `advance` may do, all that could be outdated is
 * withdrawn, and asked again when the superstep goes on.
 */
export function renewApprovals(draft: Draft): void {
  for (const handle of tasksOfRun(draft)) {
    if (mustYield(draft)) withdraw(handle);
    else if (isOutdated(handle)) askAgain(handle);
  }
}

function withdraw(handle: TaskHandle): void {
  const { node, task } = handle;
  if (task.state.phase !== 'open') return;
  const { position } = task.state;
  if (position.kind === 'approved' && !position.byPerson) setState(handle, { phase: 'ready' });
  if (position.kind === 'approval' && node.behavior.fillQuestion) cancelTimersAndApprovalsOf(handle);
}

function isOutdated(handle: TaskHandle): boolean {
  const { state } = handle.task;
  if (state.phase !== 'open') return false;
  const { position } = state;
  if (position.kind === 'approved') return !position.byPerson;
  return position.kind === 'approval' && showsOtherwise(handle, position);
}

function showsOtherwise(handle: TaskHandle, position: ApprovalPosition): boolean {
  const { fillQuestion } = handle.node.behavior;
  const approval = own(handle.draft.run.approvals, position.approvalId);
  if (!fillQuestion || approval?.status !== 'pending') return false;
  try {
    const question = withTaskAllowance(handle, () => fillQuestion(taskBindings(handle), position));
    return question === null || digestOf(question) !== approval.asked;
  } catch (error) {
    if (error instanceof GraphError) return true;
    throw error;
  }
}
