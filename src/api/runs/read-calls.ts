import { hideCall } from '../../graph/redaction/index.ts';
import type { Redaction, CallParts } from '../../graph/redaction/index.ts';
import { mapPage } from '../../store/page.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import { kindOfCall, nameOfCalled } from '../../store/calls/calls.ts';
import type { BeginOfCall, CallFilter, EndOfCall, LedgerCall } from '../../store/calls/calls.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { Store } from '../../store/store.ts';
import type { ApiDeps } from '../deps.ts';
import { isCallReply } from '../../graph/run/index.ts';
import { toJson } from '../../graph/values/index.ts';
import type { Json, RunError } from '../../graph/values/index.ts';

type ListedCall = ReturnType<typeof toCallJson>;

/** The largest result in a list, in bytes; a larger one must be read by its key. */
const MAX_LISTED_BYTES = 65_536;
/** The largest result that is read by its key, in bytes; no recorded result is larger. */
const MAX_READ_BYTES = 16 * 1_048_576;

/** A run whose calls are read. */
interface RunToRead {
  readonly run: Pick<RunRecord, 'id'>;
  /** The redaction that applies to the reader. */
  readonly hidden: Redaction;
}

/** Lists the calls of a run in the order of its history, or from its end. */
export async function listCalls(
  { store }: Pick<ApiDeps, 'store'>,
  of: RunToRead,
  filter: CallFilter,
  page: PageRequest,
): Promise<Page<ListedCall>> {
  const begun = await store.calls.list(of.run.id, filter, page);
  return mapPage(begun, await createCallReader(store.calls, of, begun.items, MAX_LISTED_BYTES));
}

/** Reads the latest call with a key. @returns `null` when the run has made no such call */
export async function readCall(
  { store }: Pick<ApiDeps, 'store'>,
  of: RunToRead,
  key: string,
): Promise<ListedCall | null> {
  const begin = await store.calls.find(of.run.id, key);
  if (!begin) return null;
  const read = await createCallReader(store.calls, of, [begin], MAX_READ_BYTES);
  return read(begin);
}

/**
 * Reads the results of calls. @param maxBytes larger results are left out
 * @returns a function that maps each of the calls to its public form
 */
async function createCallReader(
  calls: Store['calls'],
  { run, hidden }: RunToRead,
  begun: readonly BeginOfCall[],
  maxBytes: number,
): Promise<(begin: BeginOfCall) => ListedCall> {
  const wanted = { runId: run.id, keys: begun.map(({ idempotencyKey }) => idempotencyKey), maxBytes };
  const [ends, ledger] = await Promise.all([calls.endsOf(wanted), calls.inLedger(wanted)]);
  return (begin) => {
    const key = begin.idempotencyKey;
    const end = ends.find(({ idempotencyKey, seq }) => idempotencyKey === key && seq > begin.seq) ?? null;
    return toCallJson({ begin, end, ledger: ledger.get(key) ?? null }, hidden);
  };
}

/** The records of one call in the store. */
export interface KnownCall {
  readonly begin: BeginOfCall;
  /** `null` when the call has not ended, or is a model call. */
  readonly end: EndOfCall | null;
  /** `null` when the ledger has no row for the call. */
  readonly ledger: LedgerCall | null;
}

/** Maps a call to its public form, redacted for the reader. */
function toCallJson(known: KnownCall, hidden: Redaction) {
  const { begin, end, ledger } = known;
  const { node, path, visit, index, step, at, idempotencyKey: key } = begin;
  const kind = kindOfCall(begin);
  const undoes = begin.type === 'compensation.requested';
  const parts = hideCall(partsOfCall(known), { node, path: path ?? [], kind, undoes }, hidden);
  return {
    key,
    kind,
    name: nameOfCalled(begin),
    node,
    ...(path && { path }),
    visit,
    ...(index !== undefined && { index }),
    step,
    at,
    undoes,
    local: end?.local === true,
    status: statusOfCall(known),
    ...parts,
    ...attemptsAndDuration(known),
    nextAttemptAt: ledger?.nextAttemptAt ?? null,
    ...costOfCall(begin),
  };
}

/** Returns the event that records the end of the call. */
function endOfCall({ begin, end }: KnownCall) {
  return begin.type === 'model.called' ? begin : end;
}

function partsOfCall(known: KnownCall): CallParts {
  const { begin, end, ledger } = known;
  const { request, result, attempts } = ledger ?? NO_ROW;
  return {
    request: begin.type === 'model.called' ? request : begin.args,
    reply: end?.result ?? replyOfModel(result),
    error: errorOfCall(known),
    failedAttempts: attempts,
  };
}

const NO_ROW: Pick<LedgerCall, 'request' | 'result' | 'attempts'> = { request: null, result: null, attempts: [] };

/** Returns the error of a failed call, or of its last attempt. */
function errorOfCall(known: KnownCall): RunError | null {
  const ended = endOfCall(known);
  if (ended) return ended.error ?? null;
  const { ledger } = known;
  return ledger?.status === 'completed' ? null : (ledger?.failure?.error ?? null);
}

function attemptsAndDuration(known: KnownCall): { readonly attempts: number; readonly durationMs: number | null } {
  const ended = endOfCall(known);
  if (ended) return { attempts: ended.attempts, durationMs: ended.durationMs };
  return { attempts: known.ledger?.attempts.length ?? 0, durationMs: null };
}

function costOfCall(begin: BeginOfCall) {
  const { context = null, usage = null, costUsd = null } = begin.type === 'model.called' ? begin : {};
  return { context, usage, costUsd };
}

/** Returns the answer of a model, or the return value of code. */
function replyOfModel(result: Json): Json {
  if (!isCallReply(result)) return null;
  if (result.kind === 'value') return result.value;
  if (result.kind === 'overflow') return null;
  const { text, toolCalls, finishReason } = result;
  return toJson({ text, toolCalls, finishReason });
}

type CallStatus = 'running' | 'retrying' | 'completed' | 'failed' | 'unknown';

/** Derives the status from the run's events first, because the ledger may lack the end of the call. */
function statusOfCall(known: KnownCall): CallStatus {
  const ended = endOfCall(known);
  if (ended) return ended.error ? statusAfterError(ended.error) : 'completed';
  const { ledger } = known;
  return ledger === null || ledger.status === 'claimed' ? 'running' : ledger.status;
}

function statusAfterError({ code }: RunError): CallStatus {
  return code === 'UNKNOWN_OUTCOME' ? 'unknown' : 'failed';
}
