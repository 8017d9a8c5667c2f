import { closingDecision } from '../run/approvals/approval.ts';
import type { Approval } from '../run/approvals/approval.ts';
import type { RunError } from '../values/errors.ts';

/** The error of a rejected approval. @param subject begins its message */
export function rejectionError(subject: string, approval: Approval): RunError {
  const reason = closingDecision(approval)?.reason;
  return { code: 'APPROVAL_REJECTED', message: `${subject} was rejected${reason ? `: ${reason}` : ''}` };
}

/** The error of a tool call whose approval is closed; `null`: it is approved. */
export function refusedCallError(tool: string, approval: Approval): RunError | null {
  const { status, expiresAt } = approval;
  if (status === 'approved') return null;
  if (status !== 'expired') return rejectionError(`The call of ${tool}`, approval);
  return { code: 'APPROVAL_EXPIRED', message: `No decision on the call of ${tool} came before ${expiresAt}` };
}
