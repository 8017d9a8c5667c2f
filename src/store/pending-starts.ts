import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { SentSignal } from '../graph/run/occurrence.ts';
import type { Json } from '../graph/values/json.ts';
import type { Tables } from './tables.ts';

/** A run that Temporal is to be given. */
export interface HandOver {
  readonly id: string;
  readonly start: Json;
  /** What this execution begins with instead; `null`: it is the first. */
  readonly reopening: Json;
  /** The run of its thread whose state it goes on from. */
  readonly predecessorId: string | null;
  /** Which execution of the run's workflow it will be, from 1. */
  readonly execution: number;
  /** What it was told while it waited for its turn, in order. */
  readonly earlySignals: readonly SentSignal[];
}

/** Runs on their way to Temporal: from the moment that they are accepted, or go on, until it has their workflow. */
export interface HandOvers {
  /** Takes on handing a run over. @returns `null`: it has been, somebody else is at it, or it is not its turn */
  claim(id: string, now: string, until: string): Promise<HandOver | null>;
  /** Notes that Temporal has an execution. */
  complete(handOver: Pick<HandOver, 'id' | 'execution'>, at: string): Promise<void>;
  /** Runs that Temporal has not taken and nobody is handing over. */
  due(now: string, limit: number): Promise<readonly string[]>;
}

export function createHandOvers(db: Kysely<Tables>): HandOvers {
  return {
    claim: (id, now, until) => claim(db, { id, now, until }),
    complete: async ({ id, execution }, at) => {
      await db
        .updateTable('runs')
        .set({ handed_over_at: at })
        .where('id', '=', id)
        .where('execution', '=', execution)
        .where('handed_over_at', 'is', null)
        .execute();
    },
    due: (now, limit) => due(db, now, limit),
  };
}

async function claim(
  db: Kysely<Tables>,
  { id, now, until }: { id: string; now: string; until: string },
): Promise<HandOver | null> {
  const row = await db
    .updateTable('runs')
    .set({ hand_over_after: until })
    .where('id', '=', id)
    .where('handed_over_at', 'is', null)
    .where(sql<boolean>`is_granted`)
    .where('hand_over_after', '<=', new Date(now))
    .returning(['start', 'reopening', 'predecessor_id', 'execution', 'early_signals'])
    .executeTakeFirst();
  if (!row) return null;
  const { start, reopening, predecessor_id: predecessorId, execution, early_signals: earlySignals } = row;
  return { id, start, reopening, predecessorId, execution, earlySignals };
}

async function due(db: Kysely<Tables>, now: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('handed_over_at', 'is', null)
    .where(sql<boolean>`is_granted`)
    .where('hand_over_after', '<', new Date(now))
    .orderBy('hand_over_after')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
