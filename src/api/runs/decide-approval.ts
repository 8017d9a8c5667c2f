import { decide, isEnded, toPublicApproval } from '../../graph/run/index.ts';
import type { Approval, SignalResult, PublicApproval } from '../../graph/run/index.ts';
import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps, Attempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, unavailable, toApiError } from '../http/errors.ts';
import { UNTIL_WRITTEN, poll } from '../temporal/poll.ts';
import { sendSignal } from './send-signal.ts';

export interface WantedDecision {
  readonly decision: 'approve' | 'reject';
  readonly approvalId?: string | undefined;
  readonly reason?: string | undefined;
  readonly args?: unknown;
  readonly values?: unknown;
}

/**
 * Decides an approval. What the store knows to be refused never reaches the run; who of several is first, the run says.
 */
export async function decideApproval(
  deps: ApiDeps,
  caller: Caller,
  { run, attempt, wanted }: { run: RunRecord; attempt: Attempt; wanted: WantedDecision },
): Promise<PublicApproval> {
  const payload = toPayload(wanted);
  const refuse = async (hasEnded: boolean): Promise<void> =>
    refuseEarly(await deps.store.approvals.ofRun(run.id), caller, { wanted, payload, run, hasEnded });
  try {
    const signal = { name: wanted.decision, attempt, payload, refuse: () => refuse(isEnded(run.status)) };
    return await readApproval(deps, caller, await sendSignal(deps, caller, { run, signal }));
  } catch (error) {
    const hasEndedMeanwhile = !run.isQueued && error instanceof ApiError && error.code === 'NOT_ALLOWED_NOW';
    if (hasEndedMeanwhile) await refuse(true);
    throw error;
  }
}

/** The approval as it was decided. Of a large one the run says only which it is; the store has it as soon as it is written. */
async function readApproval({ store }: ApiDeps, { sub }: Caller, outcome: SignalResult): Promise<PublicApproval> {
  if (!outcome.taken) throw toApiError(outcome.refusal);
  const { value } = outcome;
  if (isApproval(value)) return value;
  const id = isJsonObject(value) && typeof value['id'] === 'string' ? value['id'] : '';
  const look = async () => (await store.approvals.find(id))?.approval;
  const isWritten = (approval?: Approval): boolean => approval?.decisions.some(({ by }) => by === sub) === true;
  const approval = await poll(look, isWritten, UNTIL_WRITTEN);
  if (!approval || !isWritten(approval)) throw unavailable('The journal');
  return toPublicApproval(approval);
}

function toPayload({ approvalId, reason, args, values }: WantedDecision): JsonObject {
  return {
    ...(approvalId !== undefined && { approvalId }),
    ...(reason !== undefined && { reason }),
    ...(args !== undefined && { args: toJson(args) }),
    ...(values !== undefined && { values: toJson(values) }),
  };
}

interface Asked {
  readonly wanted: WantedDecision;
  readonly payload: JsonObject;
  readonly run: RunRecord;
  readonly hasEnded: boolean;
}

/** @throws ApiError when the rows tell already that the decision would be refused */
function refuseEarly(approvals: readonly Approval[], caller: Caller, { wanted, payload, run, hasEnded }: Asked): void {
  const approval = find(approvals, wanted.approvalId, hasEnded);
  if (!approval) {
    if (wanted.approvalId !== undefined)
      throw new ApiError('UNKNOWN_APPROVAL', `There is no approval "${wanted.approvalId}" in run ${run.id}`);
    if (hasEnded) throw new ApiError('NOT_ALLOWED_NOW', 'The run has ended; nothing waits for a decision');
    return;
  }
  const verdict = {
    decision: wanted.decision,
    by: caller,
    at: new Date().toISOString(),
    reason: wanted.reason,
    args: payload['args'],
    values: payload['values'],
  };
  const judgement = decide(approval, verdict);
  if ('refusal' in judgement) throw toApiError(judgement.refusal);
}

/** The approval that is meant: the one that is named, that waits alone, or came last in a run that has ended. */
function find(approvals: readonly Approval[], id: string | undefined, ended: boolean): Approval | undefined {
  if (id !== undefined) return approvals.find((approval) => approval.id === id);
  const pending = approvals.filter(({ status }) => status === 'pending');
  if (pending.length === 0 && ended) return approvals.at(-1);
  return pending.length === 1 ? pending[0] : undefined;
}

function isApproval(value: Json): value is PublicApproval & JsonObject {
  return isJsonObject(value) && typeof value['id'] === 'string' && Array.isArray(value['decisions']);
}

/** One approval by its id, if the caller may know of it. */
export async function findApproval(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  id: string,
): Promise<PublicApproval> {
  const found = await store.approvals.find(id);
  if (!found || !(found.tenantId === caller.tenantId || caller.permissions.has('admin')))
    throw new ApiError('UNKNOWN_APPROVAL', `There is no approval "${id}"`);
  return toPublicApproval(found.approval);
}
