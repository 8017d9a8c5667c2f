import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { ModelDelta } from '../../graph/journal/index.ts';
import { createListeners } from '../changes/listeners.ts';
import type { Listen, Listening } from '../database/listen.ts';
import type { Tables } from '../tables.ts';
import { packDeltas, readDeltas } from './packed-deltas.ts';
import { createTeller } from './teller.ts';

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
