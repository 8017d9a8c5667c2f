import type { PublicApproval } from '../../graph/run/index.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { findWithRun } from '../approvals/find-approval.ts';
import type { WantedDecision } from '../approvals/decide-approval.ts';
import { tryEach } from './try-each.ts';
import type { Tried } from './try-each.ts';

export type NamedDecision = WantedDecision & { readonly approvalId: string };
export type TriedDecision = Tried<NamedDecision, PublicApproval>;

/** Decides approvals, each for itself. Tries of one request decide each of them once. @returns the results in order */
export async function decideMany(
  deps: ApiDeps,
  caller: Caller,
  { decisions, attempt }: { readonly decisions: readonly NamedDecision[]; readonly attempt: RequestAttempt },
): Promise<readonly TriedDecision[]> {
  return await tryEach(decisions, async (wanted, index) => {
    const { run } = await findWithRun(deps, caller, wanted.approvalId);
    return await decideApproval(deps, caller, { run, wanted, attempt: { ...attempt, id: `${attempt.id}-${index}` } });
  });
}
