import { restoreArgs } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { approvalMeant } from '../../graph/run/index.ts';
import type { Approval, KnownApprovals } from '../../graph/run/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import { shownApproval } from './shown-approval.ts';

/** The parts of a decision that are about what its approval shows. */
export interface DecisionOnShown {
  readonly approvalId?: string | undefined;
  readonly args?: Json | undefined;
  /** `undefined`: the caller names none. */
  readonly digests?: readonly string[] | undefined;
}

/**
 * Translates a decision on what a caller was shown: digests of a view into real ones, and arguments that were sent back
 * as `[redacted]`. The real digest of what is hidden is not good here: who guesses it would learn that it is right.
 */
export function toRealDecision(
  { seals }: Pick<ApiDeps, 'seals'>,
  { known, hidden }: { readonly known: KnownApprovals; readonly hidden: Redaction },
  { approvalId, args, digests }: DecisionOnShown,
): Pick<DecisionOnShown, 'args' | 'digests'> {
  const digestOf = (approval: Approval): string => shownApproval(approval, hidden, seals).digest;
  const toReal = (named: readonly string[]): readonly string[] => {
    const real = new Map(known.approvals.map((approval) => [digestOf(approval), approval.digest]));
    return named.flatMap((digest) => real.get(digest) ?? []);
  };
  const approval = approvalMeant(known, approvalId);
  return {
    digests: digests && toReal(digests),
    args: args === undefined || 'code' in approval ? args : restoreArgs(args, approval, hidden),
  };
}
