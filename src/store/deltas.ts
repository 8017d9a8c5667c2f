import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { CallProgress, LiveUpdate, ModelDelta } from '../graph/journal/index.ts';
import { isListOf, isNumber, isObjectOf, isText, orAbsent } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import { createListeners } from './changes.ts';
import type { Listen, Listening } from './database/listen.ts';
import type { Tables } from './tables.ts';

export type DeltaListener = (update: LiveUpdate) => void;

/**
 * Sends model deltas and the progress of calls to all processes while a call is made. One may be lost, and is delivered at
 * most once.
 */
export interface Deltas {
  /**
   * Publishes deltas of one run in order. They are dropped when too many are waiting.
   * @returns when they have been sent
   * @throws when the database refuses them; they are lost then
   */
  publish(runId: string, deltas: readonly LiveUpdate[]): Promise<void>;
  /**
   * Subscribes a listener to the deltas of a run.
   * @returns a function that unsubscribes, once the database is listening or after a short timeout
   */
  listen(runId: string, listener: DeltaListener): Promise<() => void>;
}

/** The notification channel of the database for deltas. */
const CHANNEL = 'holdfast_deltas';

/** After this time, a subscription starts without the database and receives deltas once it is available. */
const OPEN_WITHIN_MS = 1_000;

/** Creates a source of deltas. It listens to the database from the first subscription on. @internal */
export function createDeltas(db: Kysely<Tables>, listen: Listen): Deltas & Listening {
  const listeners = createListeners<LiveUpdate>();
  const send = createDeltaSender(async (payloads) => {
    await sql`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as sent (payload)`.execute(db);
  });
  const open = (): OpenChannel => {
    let opened = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => (opened = resolve));
    const received = (payload: string): void => {
      for (const { runId, delta } of readDeltas(payload)) listeners.notify(runId, delta);
    };
    return { listening: listen(CHANNEL, { received, opened: () => opened() }), isOpen };
  };
  let subscription: OpenChannel | null = null;
  let isClosed = false;
  return {
    async publish(runId, deltas) {
      if (!isClosed) await send(packDeltas(runId, deltas));
    },
    async listen(runId, listener) {
      subscription ??= open();
      const stop = listeners.add(runId, listener);
      await Promise.race([subscription.isOpen, sleep(OPEN_WITHIN_MS, undefined, { ref: false })]);
      return stop;
    },
    async close() {
      isClosed = true;
      await subscription?.listening.close();
    },
  };
}

interface OpenChannel {
  readonly listening: Listening;
  readonly isOpen: Promise<void>;
}

/** A delta with the id of its run. */
interface DeltaOfRun {
  readonly runId: string;
  readonly delta: LiveUpdate;
}

/** PostgreSQL limits the payload of a notification to less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

/**
 * Packs deltas of a run into payloads of one JSON text per line. A delta that exceeds the limit of a payload is left
 * out.
 * @returns the payloads, in the order of the deltas
 */
export function packDeltas(runId: string, deltas: readonly LiveUpdate[]): readonly string[] {
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

/** Parses a payload. A payload of another sender yields no deltas. */
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

const OF_CALL = {
  node: isText,
  path: orAbsent(isListOf(isText)),
  visit: isNumber,
  attempt: isNumber,
  callKey: isText,
};
/** Parsed JSON has no other values. */
const isParsed = (value: unknown): value is Json => value !== undefined;
const isModelDelta = isObjectOf<ModelDelta>({ ...OF_CALL, index: isNumber, text: isText });
const isCallProgress = isObjectOf<CallProgress>({ ...OF_CALL, tool: isText, value: isParsed });

const isDelta = isObjectOf<DeltaOfRun>({
  runId: isText,
  delta: (value): value is LiveUpdate => isModelDelta(value) || isCallProgress(value),
});

/** Sends payloads to the database in one statement. */
type SendNotification = (payloads: readonly string[]) => Promise<void>;

/** Notifying statements wait for each other in the database, so each process sends few of them. */
const PAUSE_MS = 20;

/** The most payloads that wait to be sent. */
const MAX_WAITING = 500;

/** The payloads of the next statement, and the promise of its end. */
interface DeltaBatch {
  readonly payloads: string[];
  readonly sent: Promise<void>;
}

/**
 * Sends payloads in order with one statement at a time; payloads that arrive meanwhile are sent together.
 * @returns a function that resolves when its payloads are sent; they are dropped when too many are waiting
 */
export function createDeltaSender(send: SendNotification): SendNotification {
  let waiting: DeltaBatch | null = null;
  let lastEnd: Promise<unknown> = Promise.resolve();
  const open = (): DeltaBatch => {
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
