import type { PublicApproval } from '../../graph/run/index.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import type { WantedDecision } from '../approvals/decide-approval.ts';
import { findWithRun } from '../approvals/find-approval.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { recordedAct } from '../http/recorded-act.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import { tryEach } from './try-each.ts';
import type { Tried } from './try-each.ts';

export type NamedDecision = WantedDecision & { readonly approvalId: string };
export type TriedDecision = Tried<NamedDecision, PublicApproval>;

interface ManyDecisions {
  readonly decisions: readonly NamedDecision[];
  readonly attempt: RequestAttempt;
  readonly record: RecordAct;
}

/** Decides approvals, each for itself. Tries of one request decide each of them once. @returns the results in order */
export async function decideMany(
  deps: ApiDeps,
  caller: Caller,
  { decisions, attempt, record }: ManyDecisions,
): Promise<readonly TriedDecision[]> {
  const at = new Date().toISOString();
  const named = { items: decisions, subjectOf: ({ approvalId }: NamedDecision) => approvalId };
  return await tryEach(deps, named, async (wanted, index) => {
    const { approvalId, decision } = wanted;
    const { run } = await findWithRun(deps, caller, approvalId);
    const request = { run, wanted, at, attempt: { ...attempt, id: `${attempt.id}-${index}` } };
    const act = { action: `approval.${decision}`, subject: approvalId };
    return await recordedAct(record, act, async () => await decideApproval(deps, caller, request));
  });
}
