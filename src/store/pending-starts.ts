import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { SentSignal } from '../graph/run/index.ts';
import type { Json } from '../graph/values/index.ts';
import type { Tables } from './tables.ts';

/** A run that Temporal is to be given. */
export interface PendingStart {
  readonly id: string;
  readonly start: Json;
  /** What this execution begins with instead; `null`: it is the first. */
  readonly reopening: Json;
  /** The run of its thread whose state it goes on from. */
  readonly predecessorId: string | null;
  /** Which execution of the run's workflow it will be, from 1. */
  readonly execution: number;
  /** What it was told while it waited for its turn, in order. */
  readonly queuedSignals: readonly SentSignal[];
}

/** Runs on their way to Temporal: from the moment that they are accepted, or go on, until it has their workflow. */
export interface PendingStarts {
  /** Takes on handing a run over. @returns `null`: it has been, somebody else is at it, or it is not its turn */
  claim(id: string, now: string, until: string): Promise<PendingStart | null>;
  /** Notes that Temporal has an execution. */
  complete(start: Pick<PendingStart, 'id' | 'execution'>, at: string): Promise<void>;
  /** Runs that Temporal has not taken and nobody is handing over. */
  due(now: string, limit: number): Promise<readonly string[]>;
}

export function createPendingStarts(db: Kysely<Tables>): PendingStarts {
  return {
    claim: (id, now, until) => claim(db, { id, now, until }),
    complete: async ({ id, execution }, at) => {
      await db
        .updateTable('runs')
        .set({ dispatched_at: at })
        .where('id', '=', id)
        .where('execution', '=', execution)
        .where('dispatched_at', 'is', null)
        .execute();
    },
    due: (now, limit) => due(db, now, limit),
  };
}

async function claim(
  db: Kysely<Tables>,
  { id, now, until }: { id: string; now: string; until: string },
): Promise<PendingStart | null> {
  const row = await db
    .updateTable('runs')
    .set({ dispatch_after: until })
    .where('id', '=', id)
    .where('dispatched_at', 'is', null)
    .where(sql<boolean>`is_dequeued`)
    .where('dispatch_after', '<=', new Date(now))
    .returning(['start', 'reopening', 'predecessor_id', 'execution', 'queued_signals'])
    .executeTakeFirst();
  if (!row) return null;
  const { start, reopening, predecessor_id: predecessorId, execution, queued_signals: queuedSignals } = row;
  return { id, start, reopening, predecessorId, execution, queuedSignals };
}

async function due(db: Kysely<Tables>, now: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('dispatched_at', 'is', null)
    .where(sql<boolean>`is_dequeued`)
    .where('dispatch_after', '<', new Date(now))
    .orderBy('dispatch_after')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
