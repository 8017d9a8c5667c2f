import type { Redaction } from '../../../graph/redaction/index.ts';
import { mapPage } from '../../../store/page.ts';
import type { Page, PageRequest } from '../../../store/page.ts';
import type { BeginOfCall } from '../../../store/calls/call-events.ts';
import type { CallFilter } from '../../../store/calls/calls.ts';
import type { RunRecord } from '../../../store/runs.ts';
import type { ApiDeps } from '../../deps.ts';
import { showCall } from './show-call.ts';

type ListedCall = ReturnType<typeof showCall>;

/** The bytes of an answer in a list; a larger one is read by its key. */
const MAX_LISTED_BYTES = 65_536;
/** The bytes of an answer that is read by its key: all that there can be. */
const MAX_SHOWN_BYTES = 16 * 1_048_576;

interface OfRun {
  readonly run: Pick<RunRecord, 'id'>;
  /** What is hidden from the reader. */
  readonly hidden: Redaction;
}

/** Lists the calls of a run in the order of its history, or from its end. */
export async function listCalls(
  { store }: Pick<ApiDeps, 'store'>,
  { run, hidden }: OfRun,
  { filter, page }: { readonly filter: CallFilter; readonly page: PageRequest },
): Promise<Page<ListedCall>> {
  const begun = await store.calls.list(run.id, filter, page);
  const show = await readShown({ store }, { run, hidden, maxBytes: MAX_LISTED_BYTES }, begun.items);
  return mapPage(begun, show);
}

/** Reads the latest call under a key. @returns `null`: the run has made none */
export async function readCall(
  { store }: Pick<ApiDeps, 'store'>,
  { run, hidden }: OfRun,
  key: string,
): Promise<ListedCall | null> {
  const begin = await store.calls.find(run.id, key);
  if (!begin) return null;
  const show = await readShown({ store }, { run, hidden, maxBytes: MAX_SHOWN_BYTES }, [begin]);
  return show(begin);
}

async function readShown(
  { store: { calls } }: Pick<ApiDeps, 'store'>,
  { run, hidden, maxBytes }: OfRun & { readonly maxBytes: number },
  begun: readonly BeginOfCall[],
): Promise<(begin: BeginOfCall) => ListedCall> {
  const wanted = { runId: run.id, keys: begun.map(({ idempotencyKey }) => idempotencyKey), maxBytes };
  const [ends, ledger] = await Promise.all([calls.endsOf(wanted), calls.inLedger(wanted)]);
  return (begin) => {
    const key = begin.idempotencyKey;
    const end = ends.find(({ idempotencyKey, seq }) => idempotencyKey === key && seq > begin.seq) ?? null;
    return showCall({ begin, end, ledger: ledger.get(key) ?? null }, hidden);
  };
}
