import { decideApproval } from '../approvals/decide-approval.ts';
import type { ApprovalJson } from '../schemas/approval.ts';
import type { DecisionBody } from '../approvals/decide-approval.ts';
import { findApprovalWithRun } from '../approvals/inbox.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { recordedAct } from '../http/recorded-act.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import type { RequestAttempt } from '../http/admission.ts';
import type { ItemResult } from './try-each.ts';
import { tryEach } from './try-each.ts';

export type NamedDecision = DecisionBody & { readonly approvalId: string };

export type DecisionOutcome = ItemResult<NamedDecision, ApprovalJson>;

interface ManyDecisions {
  readonly decisions: readonly NamedDecision[];
  readonly attempt: RequestAttempt;
  readonly record: RecordAct;
}

/**
 * Decides several approvals independently of each other. Repeated attempts of one request decide each approval once.
 * @returns the results in order
 */
export async function decideMany(
  deps: ApiDeps,
  caller: Caller,
  { decisions, attempt, record }: ManyDecisions,
): Promise<readonly DecisionOutcome[]> {
  const at = new Date().toISOString();
  return await tryEach(deps, decisions, approvalIdOf, async (wanted, index) => {
    const { approvalId, decision } = wanted;
    const { run } = await findApprovalWithRun(deps, caller, approvalId);
    const request = { run, wanted, at, attempt: { ...attempt, id: `${attempt.id}-${index}` } };
    const act = { action: `approval.${decision}`, subject: approvalId };
    return await recordedAct(record, act, async () => await decideApproval(deps, caller, request));
  });
}

function approvalIdOf({ approvalId }: NamedDecision): string {
  return approvalId;
}
