import { withTaskAllowance, cancelTimersAndApprovalsOf, tasksOfRun, taskBindings } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import type { Draft } from '../draft/draft.ts';
import { mustYield } from '../draft/load.ts';
import { setState } from '../draft/scope-draft.ts';
import { approvalDigest } from '../run/approval.ts';
import type { ApprovalPosition, NodePosition } from '../run/scope.ts';
import { askAgain } from '../superstep/run-task.ts';
import { TaskServices } from '../superstep/task-services.ts';
import { GraphError } from '../values/errors.ts';
import { own } from '../values/json.ts';

/**
 * Withdraws each pending approval whose content would differ on the edited state, and requests it again under a new id;
 * earlier decisions are void. If a question can't be filled any more, its node fails. A call that needed no approval
 * and has not been made yet begins again. Beyond what one `advance` may compute, every approval that may be outdated is
 * withdrawn, and requested again when the superstep continues.
 */
export function renewApprovals(draft: Draft): void {
  for (const handle of tasksOfRun(draft)) {
    if (mustYield(draft)) withdrawApproval(handle);
    else if (isOutdated(handle)) askAgain(handle);
    withdrawCalls(handle, !mustYield(draft));
  }
}

function withdrawApproval(handle: TaskHandle): void {
  const { node, task } = handle;
  if (task.state.phase !== 'open') return;
  const { position } = task.state;
  if (position.kind === 'approved' && !position.byPerson) setState(handle, { phase: 'ready' });
  if (position.kind === 'approval' && node.behavior.fillQuestion) cancelTimersAndApprovalsOf(handle);
}

/**
 * Withdraws the approvals of tool calls whose fixed arguments are others on the edited state. The superstep continues
 * these calls.
 * @param mayCompute false to withdraw every approval that may be outdated
 */
function withdrawCalls(handle: TaskHandle, mayCompute: boolean): void {
  const { state } = handle.task;
  const { withdrawOutdated } = handle.node.behavior;
  if (state.phase !== 'open' || !withdrawOutdated) return;
  const withdraw = (): NodePosition | null => withdrawOutdated(new TaskServices(handle), state.position, mayCompute);
  const position = mayCompute ? withTaskAllowance(handle, withdraw) : withdraw();
  if (position) setState(handle, { phase: 'open', position });
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
    return question === null || approvalDigest(question) !== approval.asked;
  } catch (error) {
    if (error instanceof GraphError) return true;
    throw error;
  }
}
