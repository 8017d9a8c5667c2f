import { hideCall } from '../../graph/redaction/index.ts';
import type { Redaction, CallParts } from '../../graph/redaction/index.ts';
import { mapPage } from '../../store/page.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import { kindOf, nameOf } from '../../store/calls/calls.ts';
import type { BeginOfCall, CallFilter, EndOfCall, LedgerCall } from '../../store/calls/calls.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { Store } from '../../store/store.ts';
import type { ApiDeps } from '../deps.ts';
import { isCallReply } from '../../graph/run/index.ts';
import { toJson } from '../../graph/values/index.ts';
import type { Json, RunError } from '../../graph/values/index.ts';

type ListedCall = ReturnType<typeof showCall>;

/** The largest result in a list, in bytes; a larger one must be read by its key. */
const MAX_LISTED_BYTES = 65_536;
/** The largest result that is read by its key, in bytes; no recorded result is larger. */
const MAX_READ_BYTES = 16 * 1_048_576;

/** A run whose calls are read. */
interface ReadRun {
  readonly run: Pick<RunRecord, 'id'>;
  /** What is hidden from the reader. */
  readonly hidden: Redaction;
}

/** Lists the calls of a run in the order of its history, or from its end. */
export async function listCalls(
  { store }: Pick<ApiDeps, 'store'>,
  of: ReadRun,
  filter: CallFilter,
  page: PageRequest,
): Promise<Page<ListedCall>> {
  const begun = await store.calls.list(of.run.id, filter, page);
  return mapPage(begun, await createReader(store.calls, of, begun.items, MAX_LISTED_BYTES));
}

/** Reads the latest call with a key. @returns `null` when the run has made no such call */
export async function readCall(
  { store }: Pick<ApiDeps, 'store'>,
  of: ReadRun,
  key: string,
): Promise<ListedCall | null> {
  const begin = await store.calls.find(of.run.id, key);
  if (!begin) return null;
  const read = await createReader(store.calls, of, [begin], MAX_READ_BYTES);
  return read(begin);
}

/**
 * Reads the results of calls. @param maxBytes larger results are left out
 * @returns a function that maps each of the calls to its public form
 */
async function createReader(
  calls: Store['calls'],
  { run, hidden }: ReadRun,
  begun: readonly BeginOfCall[],
  maxBytes: number,
): Promise<(begin: BeginOfCall) => ListedCall> {
  const wanted = { runId: run.id, keys: begun.map(({ idempotencyKey }) => idempotencyKey), maxBytes };
  const [ends, ledger] = await Promise.all([calls.endsOf(wanted), calls.inLedger(wanted)]);
  return (begin) => {
    const key = begin.idempotencyKey;
    const end = ends.find(({ idempotencyKey, seq }) => idempotencyKey === key && seq > begin.seq) ?? null;
    return showCall({ begin, end, ledger: ledger.get(key) ?? null }, hidden);
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
function showCall(known: KnownCall, hidden: Redaction) {
  const { begin, end, ledger } = known;
  const { node, path, visit, index, step, at, idempotencyKey: key } = begin;
  const kind = kindOf(begin);
  const undoes = begin.type === 'compensation.requested';
  const parts = hideCall(partsOf(known), { node, path: path ?? [], kind, undoes }, hidden);
  return {
    key,
    kind,
    name: nameOf(begin),
    node,
    ...(path && { path }),
    visit,
    ...(index !== undefined && { index }),
    step,
    at,
    undoes,
    local: end?.local === true,
    status: statusOf(known),
    ...parts,
    ...effortOf(known),
    nextAttemptAt: ledger?.nextAttemptAt ?? null,
    ...costOf(begin),
  };
}

/** Returns the event that records the end of the call. */
function endOf({ begin, end }: KnownCall) {
  return begin.type === 'model.called' ? begin : end;
}

function partsOf(known: KnownCall): CallParts {
  const { begin, end, ledger } = known;
  const { request, result, attempts } = ledger ?? NO_ROW;
  return {
    request: begin.type === 'model.called' ? request : begin.args,
    reply: end?.result ?? replyIn(result),
    error: errorOf(known),
    failedAttempts: attempts,
  };
}

const NO_ROW: Pick<LedgerCall, 'request' | 'result' | 'attempts'> = { request: null, result: null, attempts: [] };

/** Returns the error of a failed call, or of its last attempt. */
function errorOf(known: KnownCall): RunError | null {
  const ended = endOf(known);
  if (ended) return ended.error ?? null;
  const { ledger } = known;
  return ledger?.status === 'completed' ? null : (ledger?.failure?.error ?? null);
}

function effortOf(known: KnownCall): { readonly attempts: number; readonly durationMs: number | null } {
  const ended = endOf(known);
  if (ended) return { attempts: ended.attempts, durationMs: ended.durationMs };
  return { attempts: known.ledger?.attempts.length ?? 0, durationMs: null };
}

function costOf(begin: BeginOfCall) {
  const { context = null, usage = null, costUsd = null } = begin.type === 'model.called' ? begin : {};
  return { context, usage, costUsd };
}

/** Returns the answer of a model, or the return value of code. */
function replyIn(result: Json): Json {
  if (!isCallReply(result)) return null;
  if (result.kind === 'value') return result.value;
  if (result.kind === 'overflow') return null;
  const { text, toolCalls, finishReason } = result;
  return toJson({ text, toolCalls, finishReason });
}

type CallStatus = 'running' | 'retrying' | 'completed' | 'failed' | 'unknown';

/** Derives the status from the run's events first, because the ledger may lack the end of the call. */
function statusOf(known: KnownCall): CallStatus {
  const ended = endOf(known);
  if (ended) return ended.error ? statusAfter(ended.error) : 'completed';
  const { ledger } = known;
  return ledger === null || ledger.status === 'claimed' ? 'running' : ledger.status;
}

function statusAfter({ code }: RunError): CallStatus {
  return code === 'UNKNOWN_OUTCOME' ? 'unknown' : 'failed';
}
