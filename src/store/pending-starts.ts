import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { SentSignal } from '../graph/run/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Json } from '../graph/values/index.ts';
import type { Tables } from './tables.ts';

/** An accepted run whose workflow Temporal does not have yet. */
export interface PendingStart {
  readonly id: string;
  readonly start: Json;
  /** The input of a later execution; `null` for the first one. */
  readonly reopening: Json;
  /** The run of the thread whose state this run continues with. */
  readonly predecessorId: string | null;
  /** The redaction of the run. */
  readonly redaction: Redaction;
  /** The number of this execution of the run's workflow, starting at 1. */
  readonly execution: number;
  /** Signals that were sent while the run was queued, in order. */
  readonly queuedSignals: readonly SentSignal[];
}

/** Runs that were accepted or reopened and whose workflow Temporal does not have yet. */
export interface PendingStarts {
  /** Claims the dispatch of a run. @returns `null` when the run is dispatched, queued, or claimed by another process */
  claim(id: string, now: string, until: string): Promise<PendingStart | null>;
  /** Records that Temporal has an execution. */
  complete(start: Pick<PendingStart, 'id' | 'execution'>, at: string): Promise<void>;
  /** Records why an attempt to dispatch a run has failed. */
  fail(id: string, reason: string, at: string): Promise<void>;
  /** Lists runs to dispatch that no process has claimed. */
  due(now: string, limit: number): Promise<readonly string[]>;
}

/** @internal */
export function createPendingStarts(db: Kysely<Tables>): PendingStarts {
  return {
    async claim(id, now, until) {
      const row = await db
        .updateTable('runs')
        .set({ dispatch_after: until })
        .where('id', '=', id)
        .where(IS_PENDING)
        .where('dispatch_after', '<=', new Date(now))
        .returning(['id', 'start', 'reopening', 'predecessor_id as predecessorId', 'redaction', 'execution'])
        .returning('queued_signals as queuedSignals')
        .executeTakeFirst();
      return row ?? null;
    },
    complete: async ({ id, execution }, at) => {
      await db
        .updateTable('runs')
        .set({ dispatched_at: at })
        .where('id', '=', id)
        .where('execution', '=', execution)
        .where('dispatched_at', 'is', null)
        .execute();
    },
    fail: async (id, reason, at) => {
      await db
        .updateTable('runs')
        .set({
          dispatch_problem: reason,
          dispatch_problem_since: sql<string>`coalesce(dispatch_problem_since, ${at}::timestamptz)`,
        })
        .where('id', '=', id)
        .where('dispatched_at', 'is', null)
        .execute();
    },
    async due(now, limit) {
      const rows = await db
        .selectFrom('runs')
        .select('id')
        .where(IS_PENDING)
        .where('dispatch_after', '<', new Date(now))
        .orderBy('dispatch_after')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

/** Selects runs to dispatch, as the index `runs_to_dispatch` does. */
const IS_PENDING = sql<boolean>`dispatched_at is null and is_dequeued`;
