import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { ModelDelta } from '../graph/journal/index.ts';
import { isListOf, isNumber, isObjectOf, isText, orAbsent } from '../graph/values/index.ts';
import { createListeners } from './changes.ts';
import type { Listen, Listening } from './database/listen.ts';
import type { Tables } from './tables.ts';

export type DeltaListener = (delta: ModelDelta) => void;

/** Tells all processes what models say, while they say it. A delta may be lost, and is never told twice. */
export interface Deltas {
  /**
   * Tells of deltas of one run, in their order. Those that find too many waiting are lost.
   * @returns when they are told
   * @throws when the database does not take them; then they are lost
   */
  publish(runId: string, deltas: readonly ModelDelta[]): Promise<void>;
  /**
   * Has a listener hear the deltas of a run from now on.
   * @returns a function that ends that, when the database is heard, or is too slow to be waited for
   */
  listen(runId: string, listener: DeltaListener): Promise<() => void>;
}

/** The channel of the database on which deltas are told. */
const CHANNEL = 'holdfast_deltas';

/** A listener goes on without the database after this time, and hears what comes when it is back. */
const OPEN_WITHIN_MS = 1_000;

/** Hears the database from the first listener on. */
export function createDeltas(db: Kysely<Tables>, listen: Listen): Deltas & Listening {
  const listeners = createListeners<ModelDelta>();
  const tell = createTeller(async (payloads) => {
    await sql`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as told (payload)`.execute(db);
  });
  const open = (): Opened => {
    let opened = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => (opened = resolve));
    const heard = (payload: string): void => {
      for (const { runId, delta } of readDeltas(payload)) listeners.tell(runId, delta);
    };
    return { listening: listen(CHANNEL, { heard, opened: () => opened() }), isOpen };
  };
  let ears: Opened | null = null;
  let isClosed = false;
  return {
    async publish(runId, deltas) {
      if (!isClosed) await tell(packDeltas(runId, deltas));
    },
    async listen(runId, listener) {
      ears ??= open();
      const stop = listeners.add(runId, listener);
      await Promise.race([ears.isOpen, sleep(OPEN_WITHIN_MS, undefined, { ref: false })]);
      return stop;
    },
    async close() {
      isClosed = true;
      await ears?.listening.close();
    },
  };
}

interface Opened {
  readonly listening: Listening;
  readonly isOpen: Promise<void>;
}

/** A delta, and the run that it belongs to. */
interface DeltaOfRun {
  readonly runId: string;
  readonly delta: ModelDelta;
}

/** PostgreSQL takes payloads below 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

/**
 * Packs deltas of a run into payloads, a line of JSON each. A delta that is too long for any payload is left out.
 * @returns the payloads, in the order of the deltas
 */
export function packDeltas(runId: string, deltas: readonly ModelDelta[]): readonly string[] {
  const payloads: string[] = [];
  let last = '';
  for (const delta of deltas) {
    const line = JSON.stringify({ runId, delta } satisfies DeltaOfRun);
    if (Buffer.byteLength(line) > MAX_PAYLOAD_BYTES) continue;
    const longer = last === '' ? line : `${last}\n${line}`;
    const fits = Buffer.byteLength(longer) <= MAX_PAYLOAD_BYTES;
    if (!fits) payloads.push(last);
    last = fits ? longer : line;
  }
  return last === '' ? payloads : [...payloads, last];
}

/** Reads a payload. What something else says on the channel holds no deltas. */
export function readDeltas(payload: string): readonly DeltaOfRun[] {
  return payload.split('\n').flatMap((line) => {
    try {
      const read: unknown = JSON.parse(line);
      return isDelta(read) ? [read] : [];
    } catch {
      return [];
    }
  });
}

const isDelta = isObjectOf<DeltaOfRun>({
  runId: isText,
  delta: isObjectOf<ModelDelta>({
    node: isText,
    path: orAbsent(isListOf(isText)),
    visit: isNumber,
    attempt: isNumber,
    callKey: isText,
    index: isNumber,
    text: isText,
  }),
});

/** Sends payloads to the database in one statement. */
type Send = (payloads: readonly string[]) => Promise<void>;

/** Statements that tell of deltas wait for each other in the database, so a process makes few. */
const PAUSE_MS = 20;

/** The most payloads that wait for their statement. */
const MAX_WAITING = 500;

/** What the next statement sends, and its end. */
interface Batch {
  readonly payloads: string[];
  readonly sent: Promise<void>;
}

/**
 * Sends payloads in their order, one statement at a time: what comes meanwhile waits and is sent together.
 * @returns a function that resolves when its payloads are sent; those that find too many waiting are lost
 */
export function createTeller(send: Send): Send {
  let waiting: Batch | null = null;
  let lastEnd: Promise<unknown> = Promise.resolve();
  const open = (): Batch => {
    const payloads: string[] = [];
    const sent = lastEnd.then(async () => {
      waiting = null;
      await send(payloads);
    });
    lastEnd = sent.catch(() => undefined).then(async () => await sleep(PAUSE_MS, undefined, { ref: false }));
    return { payloads, sent };
  };
  return async (payloads) => {
    if (payloads.length === 0) return;
    waiting ??= open();
    if (waiting.payloads.length + payloads.length > MAX_WAITING) return;
    waiting.payloads.push(...payloads);
    await waiting.sent;
  };
}
