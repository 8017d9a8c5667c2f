import { closingDecision, decisionsThatCount } from './approval.ts';
import type { Approval } from './approval.ts';

/** How far an approval is. */
export interface QuorumProgress {
  /** So many people have to approve. */
  readonly needed: number;
  /** Who has approved what stands to be decided now, the first one first. */
  readonly by: readonly string[];
}

/** Counts the approvals that count towards the quorum: none once a timeout has decided, or the approval was canceled. */
export function quorumProgressOf(approval: Pick<Approval, 'status' | 'policy' | 'decisions'>): QuorumProgress {
  const { status, policy, decisions } = approval;
  const isOpen = status === 'pending' || closingDecision(approval) !== undefined;
  const approvals = (isOpen ? decisionsThatCount(decisions) : []).filter(({ decision }) => decision === 'approve');
  return { needed: policy.quorum ?? 1, by: approvals.map(({ by }) => by) };
}
