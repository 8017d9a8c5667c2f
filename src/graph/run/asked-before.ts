import type { Approval, EarlierApproval } from './approval.ts';
import { parseApprovalId } from './ids.ts';

/** The number of earlier approvals that one lists; the history has all of them. */
const MAX_LISTED = 20;

/**
 * Returns the closed approvals of a question, oldest first: those of the same task since its last yes. A task asks about
 * several calls of tools, so the question about a call is the same one only if it shows the same.
 * @param approvals of the run, in any order
 */
export function askedBefore(
  approvals: readonly Approval[],
  { task, asked, tool }: { readonly task: Approval['task']; readonly asked: string; readonly tool: string | undefined },
): readonly EarlierApproval[] {
  const path = task.join('/');
  const same = approvals
    .filter((one) => one.task.join('/') === path && one.tool === tool && (tool === undefined || one.asked === asked))
    .sort((one, other) => numberOf(one) - numberOf(other));
  const sinceYes = same.slice(same.findLastIndex(({ status }) => status === 'approved') + 1);
  return sinceYes
    .filter(({ status }) => status !== 'pending')
    .slice(-MAX_LISTED)
    .map(({ id, status, decisions }) => ({
      id,
      status,
      decisions: decisions.map(({ by, decision, reason, at }) => ({ by, decision, reason, at })),
    }));
}

function numberOf({ id }: Approval): number {
  return parseApprovalId(id)?.number ?? 0;
}
