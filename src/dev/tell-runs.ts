import { hideApproval, hideErrorOf, hideEvent, hideWaiting, REDACTED } from '../graph/redaction/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { RunError } from '../graph/values/index.ts';
import type { Retrying } from '../store/calls/ledger.ts';
import type { RunEvent } from '../graph/journal/index.ts';
import { CHANNEL } from '../store/changes.ts';
import type { Listen } from '../store/database/listen.ts';
import type { RunRecord } from '../store/runs.ts';
import type { Store } from '../store/store.ts';
import { eventInWords, retryInWords, waitingInWords } from '../wording/index.ts';

/** Tells what happens to runs, a line each, without what they hide. */
export interface RunTeller {
  /** Looks at a run of which something may have happened. */
  look(runId: string): void;
  /** Resolves when all is told. */
  close(): Promise<void>;
}

interface Telling {
  readonly store: Store;
  readonly listen: Listen;
  readonly say: (line: string) => void;
  /** Nothing before is told; milliseconds since the epoch. */
  readonly since: number;
}

/** Hears of runs by the database, from whatever process writes. */
export function tellRuns({ listen, ...telling }: Telling): RunTeller {
  const tell = createTelling(telling);
  const seen = new Map<string, Seen>();
  const waiting = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  const take = async (runId: string): Promise<void> => {
    waiting.delete(runId);
    const ofRun = seen.get(runId) ?? { seq: 0, told: new Set() };
    seen.set(runId, ofRun);
    await tell(runId, ofRun);
  };
  const look = (runId: string): void => {
    if (waiting.has(runId)) return;
    waiting.add(runId);
    // A line that can't be told is left out: nothing depends on it.
    last = last.then(() => take(runId)).catch(() => undefined);
  };
  const listening = listen(CHANNEL, { heard: (payload) => lookAt(payload, look), opened: () => undefined });
  return {
    look,
    async close() {
      await listening.close();
      await last;
    },
  };
}

/** What is told of a run. */
interface Seen {
  /** The number of the last event. */
  seq: number;
  readonly told: Set<string>;
}

const RUN_OF = /"runId":"([^"]+)"/;

function lookAt(payload: string, look: (runId: string) => void): void {
  const [, runId] = RUN_OF.exec(payload) ?? [];
  if (runId !== undefined) look(runId);
}

const PAGE = 200;

function createTelling({ store, say, since }: Omit<Telling, 'listen'>) {
  return async (runId: string, seen: Seen): Promise<void> => {
    const run = await store.runs.find(runId);
    if (!run) return;
    for (let events = await next(store, runId, seen); events.length > 0; events = await next(store, runId, seen))
      for (const event of events) {
        const text = Date.parse(event.at) < since ? null : eventInWords(hideEvent(event, run.redaction));
        if (text !== null) say(toLine(run, text, event.at));
      }
    const pending = await pendingIn(store, run);
    const texts = pending.flatMap(({ key, texts: ofKey }) => (seen.told.has(key) ? [] : ofKey));
    for (const text of texts) say(toLine(run, text, new Date().toISOString()));
    for (const { key } of pending) seen.told.add(key);
    if (typeof run.view?.endedAt === 'string') seen.told.clear();
  };
}

function toLine({ graph, id }: RunRecord, text: string, at: string): string {
  return `${at.slice(11, 19)}  ${graph.name} ${id}  ${text}`;
}

/** Reads the next events of a run, and remembers that they are told. */
async function next(store: Store, runId: string, seen: Seen): Promise<readonly RunEvent[]> {
  const events = await store.journal.events(runId, seen.seq, PAGE);
  seen.seq = events.at(-1)?.seq ?? seen.seq;
  return events;
}

/** What a run waits for, each with a key to tell it once. */
interface Pending {
  readonly key: string;
  readonly texts: readonly string[];
}

async function pendingIn(store: Store, run: RunRecord): Promise<readonly Pending[]> {
  const retries = (await store.ledger.retrying(run.id)).map((retry) => ({
    key: `retry ${retry.node} ${retry.index} ${retry.attempt} ${retry.nextAttemptAt}`,
    texts: [retryInWords({ ...retry, lastError: hiddenError(retry, run.redaction) }, Date.now())],
  }));
  const waits = (run.view?.waitingFor ?? []).filter(({ kind }) => kind !== 'timer');
  const told = waits.map(async (waiting) => ({
    key: `waits ${waiting.node} ${waiting.id} ${waiting.since}`,
    texts: await waysOn(store, run, waiting),
  }));
  return [...retries, ...(await Promise.all(told))];
}

function hiddenError({ node, lastError }: Retrying, redaction: Redaction): RunError | null {
  return lastError && hideErrorOf({ ...lastError, node }, redaction);
}

type Waiting = NonNullable<RunRecord['view']>['waitingFor'][number];

async function waysOn(store: Store, { id, redaction }: RunRecord, waiting: Waiting): Promise<readonly string[]> {
  const found = waiting.kind === 'approval' && waiting.id !== undefined ? await store.approvals.find(waiting.id) : null;
  const shown = found && hideApproval(found.approval, redaction);
  const approval = shown && { ...shown, digest: shown.digest === REDACTED ? null : shown.digest };
  const { text, command } = waitingInWords(id, hideWaiting(waiting, redaction), approval);
  return command === null ? [text] : [text, `  npx ${command}`];
}
