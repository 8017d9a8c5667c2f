import { hideTitle, isRedacting, restoreArgs } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import {
  MAX_NAMED_APPROVALS,
  approvalToDecide,
  firstApprovalId,
  isEnded,
  approvalName,
  refuseDecision,
} from '../../graph/run/index.ts';
import type { Approval, DecisionRequest, KnownApprovals, Refusal } from '../../graph/run/index.ts';
import { isJsonList, isJsonObject, toJson, toJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { toPrincipal } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { toApiError } from '../http/errors.ts';
import { strongTagsIn } from '../http/etag.ts';
import { hiddenFrom, redactApproval } from '../redaction.ts';
import { AnsweredApproval } from '../schemas/approval.ts';
import type { ApprovalJson } from '../schemas/approval.ts';
import { afterSending, sendSignal } from '../runs/send-signal.ts';
import { untilRun, untilWritten } from '../runs/until-run.ts';
import type { RequestAttempt } from '../http/admission.ts';

/** The body of a decision request. */
export interface DecisionBody {
  readonly decision: 'approve' | 'reject';
  readonly approvalId?: string | undefined;
  readonly reason?: string | undefined;
  readonly args?: unknown;
  readonly values?: unknown;
  /** The digest of the approval that the caller has seen, as in the `If-Match` header. */
  readonly digest?: string | undefined;
  readonly ifMatch?: string | undefined;
}

/** A decision that is sent to its run. */
interface SentDecision {
  readonly run: RunRecord;
  readonly attempt: RequestAttempt;
  readonly wanted: DecisionBody;
  /** When the decision was received (RFC 3339), which determines whether it is in time; by default now. */
  readonly at?: string;
}

/**
 * Decides an approval. Only the run determines the order of concurrent decisions.
 * @throws ApiError when the decision is refused
 */
export async function decideApproval(
  deps: ApiDeps,
  caller: Caller,
  { run, attempt, wanted, at = new Date().toISOString() }: SentDecision,
): Promise<ApprovalJson> {
  const { decision, ifMatch, digest, ...fields } = wanted;
  const { approvalId, reason } = fields;
  const hidden = hiddenFrom(caller, run);
  const named = { approvalId, args: toJsonIfGiven(fields.args), digests: digestsInRequest(ifMatch, digest) };
  const ofRun = { runId: run.id, tenantId: run.tenantId, hasEnded: isEnded(run.status) };
  const known = await readKnownApprovals(deps, run.id, approvalId);
  const real = isRedacting(hidden) ? toRealDecision(deps, known, hidden, named) : named;
  const { args, digests = digestsToDecide(known, approvalId) } = real;
  const payload = toJsonObject({ ...fields, args, at, ...(digests && { digest: digests }) });
  const request = { approvalId, decision, by: toPrincipal(caller), at, reason, args, values: payload['values'] };
  const refusal = await refuseByRows(deps, ofRun, known, request);
  const result = await sendSignal(deps, caller, run, { name: decision, attempt, payload, refusal });
  const isEdited = args !== undefined;
  if (result.taken)
    return await afterSending(() => readDecidedApproval(deps, { runId: run.id, hidden, isEdited }, result.value));
  const mayHaveEnded = run.dispatch.kind !== 'queued' && result.refusal.code === 'NOT_ALLOWED_NOW';
  const then = mayHaveEnded
    ? await refuseByRows(
        deps,
        { ...ofRun, hasEnded: true },
        await readKnownApprovals(deps, run.id, approvalId),
        request,
      )
    : null;
  throw toApiError(await hideTitlesInRefusal(deps, run.id, hidden, then ?? result.refusal));
}

/**
 * Returns the digest for a decision that names none: that of the approval as it was read. If somebody else edits the
 * arguments at the same time, the decision does not apply to the edited ones.
 */
function digestsToDecide(known: KnownApprovals, approvalId: string | undefined): readonly string[] | undefined {
  const meant = approvalToDecide(known, approvalId);
  return 'code' in meant ? undefined : [meant.digest];
}

/** Returns the digests of which the approval must have one. @returns `undefined` if the caller names none */
function digestsInRequest(ifMatch: string | undefined, digest: string | undefined): readonly string[] | undefined {
  const tags = ifMatch === undefined ? null : strongTagsIn(ifMatch);
  if (!tags) return digest === undefined ? undefined : [digest];
  return digest === undefined ? tags : tags.filter((tag) => tag === digest);
}

/** Identifies the run whose approvals are read. */
interface RunOfApprovals {
  readonly runId: string;
  readonly tenantId: string;
  readonly hasEnded: boolean;
}

/**
 * Reads only the approvals to which a decision can apply, because a run may have any number: the named one, or
 * otherwise the first one of the run and those that are pending.
 */
async function readKnownApprovals(
  { store }: Pick<ApiDeps, 'store'>,
  runId: string,
  approvalId: string | undefined,
): Promise<KnownApprovals> {
  if (approvalId === undefined) {
    const approvals = await store.approvals.withPending(runId, firstApprovalId(runId), MAX_NAMED_APPROVALS);
    return { runId, approvals, asked: approvals.length };
  }
  const named = (await store.approvals.find(approvalId))?.approval;
  const approvals = named?.runId === runId ? [named] : [];
  return { runId, approvals, asked: approvals.length };
}

/**
 * Refuses a decision that the stored rows already exclude. The rows may be older than the run's state, so a missing row
 * is only an error if the decision names it.
 */
async function refuseByRows(
  deps: JudgeDeps,
  run: RunOfApprovals,
  known: KnownApprovals,
  request: DecisionRequest,
): Promise<Refusal | null> {
  const approval = approvalToDecide(known, request.approvalId);
  if (!('code' in approval)) {
    const refusal = await judge(deps, run, approval, request);
    return refusal && !mayBeOutdated(approval, refusal) ? refusal : null;
  }
  const isFirstThere = known.approvals.some(({ id }) => id === firstApprovalId(known.runId));
  if (request.approvalId !== undefined || isFirstThere) return approval;
  return run.hasEnded ? NOTHING_WAITS : null;
}

type JudgeDeps = Pick<ApiDeps, 'graphJobs' | 'logger'>;

/**
 * Validates a decision, in a worker thread if the approval has schemas, which untrusted clients write. If no thread is
 * available, the run validates it.
 */
async function judge(
  { graphJobs, logger }: JudgeDeps,
  { runId, tenantId }: Omit<RunOfApprovals, 'hasEnded'>,
  approval: Approval,
  request: DecisionRequest,
): Promise<Refusal | null> {
  if (approval.argsSchema === null && approval.decisionSchema === null) return refuseDecision(approval, request);
  return await graphJobs
    .do('refuseDecision', tenantId, { ...approval, details: null }, request)
    .catch((error: unknown) => {
      logger.warn({ error, run: runId }, 'a decision could not be judged before the run does');
      return null;
    });
}

/** A person may decide again after somebody has edited the arguments. */
function mayBeOutdated({ status }: Approval, { code }: Refusal): boolean {
  return status === 'pending' && code === 'ALREADY_DECIDED';
}

const NOTHING_WAITS: Refusal = {
  code: 'NOT_ALLOWED_NOW',
  message: 'The run has ended; nothing waits for a decision',
};

/**
 * Adds titles to the approvals that a refusal names. The run omits titles because they may be redacted; the rows
 * contain them shortly afterwards.
 */
async function hideTitlesInRefusal(
  { store }: Pick<ApiDeps, 'store'>,
  runId: string,
  hidden: Redaction,
  refusal: Refusal,
): Promise<Refusal> {
  const { pending = [], message } = refusal;
  if (pending.length === 0) return refusal;
  const look = async (): Promise<readonly Approval[]> =>
    (await Promise.all(pending.map((id) => store.approvals.find(id)))).flatMap((found) => found?.approval ?? []);
  const isWanted = (found: readonly Approval[]): boolean => found.length === pending.length;
  const found = await untilRun(store.changes, { runId, look, isWanted, withinMs: TITLES_WITHIN_MS });
  const titled = found.reduce(
    (text, approval) => text.replace(approvalName(approval), () => `"${hideTitle(approval, hidden)}" (${approval.id})`),
    message,
  );
  return { ...refusal, message: titled };
}

const TITLES_WITHIN_MS = 2_000;

/** What the answer to a decision depends on. */
interface DecisionView {
  readonly runId: string;
  readonly hidden: Redaction;
  /** True when the decision has edited the arguments. */
  readonly isEdited: boolean;
}

/**
 * Reads the decided approval from the run's answer, which is the approval itself or, if it is large, a reference to its
 * row. The row names its node, which determines the redaction. After an edit, the row must be read, because later
 * decisions refer to its digest.
 * @throws if the answer names no approval
 */
async function readDecidedApproval(
  deps: Pick<ApiDeps, 'store' | 'fingerprints'>,
  { runId, hidden, isEdited }: DecisionView,
  answer: Json,
): Promise<ApprovalJson> {
  const whole = AnsweredApproval.safeParse(answer);
  if (whole.success && !isRedacting(hidden) && !isEdited) return whole.data;
  const { id, decided, decisions } = isJsonObject(answer) ? answer : {};
  const count = isJsonList(decisions) ? decisions.length : decided;
  if (typeof id !== 'string' || typeof count !== 'number')
    throw new Error(
      `Run ${runId} has answered a decision without the id of the approval and the number of its decisions`,
    );
  const approval = await untilApproval(deps, { id, runId }, (written) => written.decisions.length >= count);
  return redactApproval(approval, hidden, deps.fingerprints);
}

function toJsonIfGiven(value: unknown): Json | undefined {
  return value === undefined ? undefined : toJson(value);
}

/**
 * Reads an approval once its row is as new as the run's answer.
 * @throws ApiError 503
 */
export async function untilApproval(
  { store }: Pick<ApiDeps, 'store'>,
  { id, runId }: Pick<Approval, 'id' | 'runId'>,
  isWritten: (approval: Approval) => boolean,
): Promise<Approval> {
  const read = async () => (await store.approvals.find(id))?.approval ?? null;
  return await untilWritten(store.changes, runId, read, isWritten);
}

/** The fields of a decision that depend on the sender's view of the approval. */
export interface DecisionOnView {
  readonly approvalId?: string | undefined;
  readonly args?: Json | undefined;
  /** `undefined` when the caller names none. */
  readonly digests?: readonly string[] | undefined;
}

/**
 * Translates a decision on a redacted view: digests of the view become real digests, and `[redacted]` arguments become
 * their values. Real digests of redacted content are not accepted, because that would confirm a guess of the content.
 */
export function toRealDecision(
  { fingerprints }: Pick<ApiDeps, 'fingerprints'>,
  known: KnownApprovals,
  hidden: Redaction,
  { approvalId, args, digests }: DecisionOnView,
): Pick<DecisionOnView, 'args' | 'digests'> {
  const digestOf = (approval: Approval): string => redactApproval(approval, hidden, fingerprints).digest;
  const toReal = (named: readonly string[]): readonly string[] => {
    const real = new Map(known.approvals.map((approval) => [digestOf(approval), approval.digest]));
    return named.flatMap((digest) => real.get(digest) ?? []);
  };
  const approval = approvalToDecide(known, approvalId);
  return {
    digests: digests && toReal(digests),
    args: args === undefined || 'code' in approval ? args : restoreArgs(args, approval, hidden),
  };
}
