import { hideApproval, hideErrorOf, hideEvent, hideWaiting, REDACTED } from '../graph/redaction/index.ts';
import type { RunEvent } from '../graph/journal/index.ts';
import type { CallClaim, CallEnd } from '../store/calls/ledger-claims.ts';
import { CHANNEL } from '../store/changes.ts';
import type { Listen } from '../store/database/listen.ts';
import type { RunRecord } from '../store/runs.ts';
import type { Store } from '../store/store.ts';
import { createEventFormatter, retryLine, toneOfEvent, waitingLines } from '../wording/index.ts';
import type { Tone } from '../wording/index.ts';

/** Prints the events of runs, one line each, without redacted values. */
export interface RunPrinter {
  /** Reads new events of a run that may have changed. */
  look(runId: string): void;
  /** Resolves when everything is printed. */
  close(): Promise<void>;
}

/** What has happened to a run, or what it waits for. */
export interface RunLine {
  /** RFC 3339 */
  readonly at: string;
  /** The name of its graph. */
  readonly graph: string;
  readonly runId: string;
  readonly text: string;
  /** `null` for an ordinary line. */
  readonly tone: Tone | null;
}

interface RunPrinting {
  readonly store: Store;
  readonly listen: Listen;
  readonly print: (line: RunLine) => void;
  /** Earlier events are not printed; milliseconds since the epoch. */
  readonly since: number;
}

/** Subscribes to changes of runs in the database, from any process. */
export function printRuns({ listen, ...printing }: RunPrinting): RunPrinter {
  const printRun = createPrintRun(printing);
  const printed = new Map<string, PrintedRun>();
  const queued = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  const take = async (runId: string): Promise<void> => {
    queued.delete(runId);
    const ofRun = printed.get(runId) ?? { seq: 0, keys: new Set(), format: createEventFormatter() };
    printed.set(runId, ofRun);
    await printRun(runId, ofRun);
  };
  const look = (runId: string): void => {
    if (queued.has(runId)) return;
    queued.add(runId);
    // A line that can't be printed is skipped, because nothing depends on it.
    last = last.then(() => take(runId)).catch(() => undefined);
  };
  const listening = listen(CHANNEL, {
    received: (payload) => lookAtNotifiedRun(payload, look),
    opened: () => undefined,
  });
  return {
    look,
    async close() {
      await listening.close();
      await last;
    },
  };
}

/** The printing state of a run. */
interface PrintedRun {
  /** The number of the last printed event. */
  seq: number;
  /** The keys of printed pending items. */
  readonly keys: Set<string>;
  readonly format: ReturnType<typeof createEventFormatter>;
}

const RUN_OF = /"runId":"([^"]+)"/;

function lookAtNotifiedRun(payload: string, look: (runId: string) => void): void {
  const [, runId] = RUN_OF.exec(payload) ?? [];
  if (runId !== undefined) look(runId);
}

const EVENTS_PER_PAGE = 200;

function createPrintRun({ store, print, since }: Omit<RunPrinting, 'listen'>) {
  return async (runId: string, printed: PrintedRun): Promise<void> => {
    const run = await store.runs.find(runId);
    if (!run) return;
    const ofRun = { graph: run.graph.name, runId };
    for (
      let events = await readNextEvents(store, runId, printed);
      events.length > 0;
      events = await readNextEvents(store, runId, printed)
    )
      for (const event of events) {
        const text = printed.format(hideEvent(event, run.redaction));
        if (text !== null && Date.parse(event.at) >= since)
          print({ ...ofRun, at: event.at, text, tone: toneOfEvent(event) });
      }
    const pending = await pendingLines(store, run);
    const lines = pending.flatMap(({ key, lines: ofKey }) => (printed.keys.has(key) ? [] : ofKey));
    for (const text of lines) print({ ...ofRun, at: new Date().toISOString(), text, tone: 'attention' });
    for (const { key } of pending) printed.keys.add(key);
    if (typeof run.view?.endedAt === 'string') printed.keys.clear();
  };
}

/** Reads the next events of a run and updates the number of the last one. */
async function readNextEvents(store: Store, runId: string, printed: PrintedRun): Promise<readonly RunEvent[]> {
  const events = await store.journal.events(runId, printed.seq, EVENTS_PER_PAGE);
  printed.seq = events.at(-1)?.seq ?? printed.seq;
  return events;
}

/** A pending item of a run; its key ensures that it is printed once. */
interface PendingLines {
  readonly key: string;
  readonly lines: readonly string[];
}

async function pendingLines(store: Store, run: RunRecord): Promise<readonly PendingLines[]> {
  const { id: runId, redaction, view } = run;
  const retries = (await store.ledger.retrying(runId)).map(({ lastError, ...retry }) => ({
    key: `retry ${retry.node} ${retry.index} ${retry.attempt} ${retry.nextAttemptAt}`,
    lines: [
      retryLine({ ...retry, lastError: lastError && hideErrorOf({ ...lastError, node: retry.node }, redaction) }),
    ],
  }));
  const waits = (view?.waitingFor ?? []).filter(({ kind }) => kind !== 'timer');
  const awaited = waits.map(async (waiting) => ({
    key: `waits ${waiting.node} ${waiting.id} ${waiting.since}`,
    lines: await linesOfItem(store, run, waiting),
  }));
  return [...retries, ...(await Promise.all(awaited))];
}

type PendingItem = NonNullable<RunRecord['view']>['waitingFor'][number];

async function linesOfItem(
  store: Store,
  { id, redaction }: RunRecord,
  waiting: PendingItem,
): Promise<readonly string[]> {
  const approvalId = waiting.kind === 'approval' ? waiting.id : undefined;
  const found = approvalId === undefined ? null : await store.approvals.find(approvalId);
  const visible = found && hideApproval(found.approval, redaction);
  const approval = visible && { ...visible, digest: visible.digest === REDACTED ? null : visible.digest };
  return waitingLines(id, hideWaiting(waiting, redaction), approval);
}

/** Wraps a store so that it reports runs with a retried call: no event of the journal records a retry. */
export function retryAwareStore(store: Store, report: (runId: string) => void): Store {
  const { ledger } = store;
  return {
    ...store,
    ledger: {
      ...ledger,
      async fail(call, failure) {
        const isRecorded = await ledger.fail(call, failure);
        if (failure.status === 'retrying') report(runIdOfCall(call.key));
        return isRecorded;
      },
      async settle(claim: CallClaim, end: CallEnd, judge) {
        const settled = await ledger.settle(claim, end, judge);
        if (end.status === 'retrying') report(claim.runId);
        return settled;
      },
    },
  };
}

/** The key of a call begins with the id of its run. */
function runIdOfCall(key: string): string {
  return key.slice(0, key.indexOf(':'));
}
