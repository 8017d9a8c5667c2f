import type { Approval } from '../approval.ts';
import type { ApprovalPosition } from './position.ts';
import { failedBecause } from './runner.ts';
import type { Happening, Progress, TaskContext } from './runner.ts';
import { unexpected } from './unexpected.ts';

/**
 * The approval that a task waits for, closed by what has happened.
 * @param onTimeout how it counts when its time is up
 */
export function closedApproval(
  task: TaskContext,
  { position, onTimeout }: { readonly position: ApprovalPosition; readonly onTimeout: Approval['status'] },
  happening: Happening,
): Approval {
  if (happening.kind === 'timer') return task.expireApproval(position.approvalId, onTimeout);
  if (happening.kind !== 'approval.closed') throw unexpected(position);
  task.cancelTimer(position.timerId);
  return happening.approval;
}

/** @param what was rejected */
export function rejected(what: string, { decisions }: Approval): Progress {
  const reason = decisions.at(-1)?.reason;
  return failedBecause('APPROVAL_REJECTED', `${what} was rejected${reason ? `: ${reason}` : ''}`);
}
