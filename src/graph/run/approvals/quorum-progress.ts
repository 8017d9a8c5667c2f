import { decisionsThatCount } from './approval.ts';
import type { Approval } from './approval.ts';

/** How far an approval is. */
export interface QuorumProgress {
  /** So many people have to approve. */
  readonly needed: number;
  /** Who has approved what stands to be decided now, the first one first. */
  readonly by: readonly string[];
}

/** Counts the approvals that count towards the quorum. */
export function quorumProgressOf({ policy, decisions }: Pick<Approval, 'policy' | 'decisions'>): QuorumProgress {
  const approvals = decisionsThatCount(decisions).filter(({ decision }) => decision === 'approve');
  return { needed: policy.quorum ?? 1, by: approvals.map(({ by }) => by) };
}
