import { isRedacting } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { findPendingApproval, isEnded, refuseDecision } from '../../graph/run/index.ts';
import type { Approval, DecisionRequest, PublicApproval, Refusal } from '../../graph/run/index.ts';
import { isJsonList, isJsonObject, toJson, toJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { toApiError } from '../http/errors.ts';
import { strongTagsIn } from '../http/etag.ts';
import { toPrincipal } from '../http/to-principal.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { toRealDecision } from '../redaction/real-decision.ts';
import { shownApproval } from '../redaction/shown-approval.ts';
import { afterSending } from '../runs/after-sending.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { untilWritten } from './until-written.ts';

export interface WantedDecision {
  readonly decision: 'approve' | 'reject';
  readonly approvalId?: string | undefined;
  readonly reason?: string | undefined;
  readonly args?: unknown;
  readonly values?: unknown;
  /** The digest of what the caller has seen, as in the `If-Match` header. */
  readonly digest?: string | undefined;
  readonly ifMatch?: string | undefined;
}

/**
 * Decides an approval. Only the run knows which of several concurrent decisions comes first.
 * @throws ApiError when the decision is refused
 */
export async function decideApproval(
  deps: ApiDeps,
  caller: Caller,
  {
    run,
    attempt,
    wanted: { decision, ifMatch, digest, ...said },
  }: { run: RunRecord; attempt: RequestAttempt; wanted: WantedDecision },
): Promise<PublicApproval> {
  const { approvalId, reason } = said;
  const hidden = hiddenFrom(caller, run);
  const shown = { approvalId, args: optionalJson(said.args), digests: digestsNamed(ifMatch, digest) };
  const ofRun = { runId: run.id, tenantId: run.tenantId, hasEnded: isEnded(run.status) };
  const approvals = await approvalsMeant(deps, ofRun, approvalId);
  const real = isRedacting(hidden) ? toRealDecision(deps, { approvals, hidden }, shown) : shown;
  const { args, digests } = real;
  const payload = toJsonObject({ ...said, args, ...(digests && { digest: digests }) });
  const at = new Date().toISOString();
  const request = { approvalId, decision, by: toPrincipal(caller), at, reason, args, values: payload['values'] };
  const refusal = await refuseByRows(deps, { ...ofRun, approvals }, request);
  const result = await sendSignal(deps, caller, { run, signal: { name: decision, attempt, payload, refusal } });
  if (result.taken) return await afterSending(() => readApproval(deps, { runId: run.id, hidden }, result.value));
  const mayHaveEnded = !run.isQueued && result.refusal.code === 'NOT_ALLOWED_NOW';
  if (!mayHaveEnded) throw toApiError(result.refusal);
  const ended = { ...ofRun, hasEnded: true };
  const then = { ...ended, approvals: await approvalsMeant(deps, ended, approvalId) };
  throw toApiError((await refuseByRows(deps, then, request)) ?? result.refusal);
}

/** Returns the digests of which the approval must have one. @returns `undefined` if the caller names none */
function digestsNamed(ifMatch: string | undefined, digest: string | undefined): readonly string[] | undefined {
  const tags = ifMatch === undefined ? null : strongTagsIn(ifMatch);
  if (!tags) return digest === undefined ? undefined : [digest];
  return digest === undefined ? tags : tags.filter((tag) => tag === digest);
}

/** Whose approvals are read. */
interface OfRun {
  readonly runId: string;
  readonly tenantId: string;
  readonly hasEnded: boolean;
}

/**
 * Reads the approvals that a decision may be about, and no others, as a run has any number: the named one; else two that
 * are pending, which tells if it is the only one; else the last one of a run that has ended.
 */
async function approvalsMeant(
  { store }: Pick<ApiDeps, 'store'>,
  { runId, hasEnded }: Pick<OfRun, 'runId' | 'hasEnded'>,
  approvalId: string | undefined,
): Promise<readonly Approval[]> {
  if (approvalId !== undefined) {
    const named = (await store.approvals.find(approvalId))?.approval;
    return named?.runId === runId ? [named] : [];
  }
  const pending = await store.approvals.ofRun(runId, 'pending', 2);
  const last = pending.length === 0 && hasEnded ? await store.approvals.lastOf(runId) : null;
  return last ? [last] : pending;
}

/**
 * Refuses a decision that the rows already exclude. The rows lag behind the run, so a missing row proves nothing
 * unless the decision names it.
 */
async function refuseByRows(
  deps: JudgeDeps,
  { approvals, hasEnded, ...of }: OfRun & { readonly approvals: readonly Approval[] },
  request: DecisionRequest,
): Promise<Refusal | null> {
  const hasPending = approvals.some((approval) => approval.status === 'pending');
  const last = hasEnded && !hasPending ? approvals.at(-1) : undefined;
  const approvalId = request.approvalId ?? last?.id;
  const approval = findPendingApproval(approvals, approvalId);
  if (!('code' in approval)) {
    const refusal = await judge(deps, of, { approval, request });
    return refusal && !mayBeOutdated(approval, refusal) ? refusal : null;
  }
  if (approvalId !== undefined) return approval;
  return hasEnded ? NOTHING_WAITS : null;
}

type JudgeDeps = Pick<ApiDeps, 'graphJobs' | 'logger'>;

/**
 * Judges a decision, in a thread if the approval has schemas, as strangers make them. If none judges it now, the run does.
 */
async function judge(
  { graphJobs, logger }: JudgeDeps,
  { runId, tenantId }: Omit<OfRun, 'hasEnded'>,
  { approval, request }: { readonly approval: Approval; readonly request: DecisionRequest },
): Promise<Refusal | null> {
  if (approval.argsSchema === null && approval.decisionSchema === null) return refuseDecision(approval, request);
  const task = { approval: { ...approval, details: null }, request };
  return await graphJobs.do('refuseDecision', tenantId, task).catch((error: unknown) => {
    logger.warn({ error, run: runId }, 'a decision could not be judged before the run does');
    return null;
  });
}

/** A second decision counts if somebody has edited the arguments meanwhile. */
function mayBeOutdated({ status }: Approval, { code }: Refusal): boolean {
  return status === 'pending' && code === 'ALREADY_DECIDED';
}

const NOTHING_WAITS: Refusal = {
  code: 'NOT_ALLOWED_NOW',
  message: 'The run has ended; nothing waits for a decision',
};

/**
 * Reads the decided approval. The run answers without it if it is large; the row follows. It tells, too, which node
 * asks, and so what is hidden.
 */
async function readApproval(
  deps: Pick<ApiDeps, 'store' | 'seals'>,
  { runId, hidden }: { readonly runId: string; readonly hidden: Redaction },
  value: Json,
): Promise<PublicApproval> {
  if (isApproval(value) && !isRedacting(hidden)) return value;
  const { id, decided, decisions } = isJsonObject(value) ? value : {};
  const count = isJsonList(decisions) ? decisions.length : typeof decided === 'number' ? decided : 1;
  const asked = { id: typeof id === 'string' ? id : '', runId };
  const approval = await untilWritten(deps, asked, (written) => written.decisions.length >= count);
  return shownApproval(approval, hidden, deps.seals);
}

function optionalJson(value: unknown): Json | undefined {
  return value === undefined ? undefined : toJson(value);
}

function isApproval(value: Json): value is PublicApproval & JsonObject {
  return isJsonObject(value) && typeof value['id'] === 'string' && Array.isArray(value['decisions']);
}
