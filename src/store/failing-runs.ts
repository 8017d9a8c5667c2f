import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** A worker's note that a run's workflow task has failed. */
export interface TaskFailureNote {
  /** Temporal's id of the execution. */
  readonly executionRunId: string;
  /** How the run's own code has failed it; `null`: the worker can't tell who is to blame. */
  readonly reason: string | null;
}

export interface ActiveRun {
  readonly id: string;
  readonly tenantId: string;
}

export interface FailingRun extends ActiveRun {
  readonly failure: TaskFailureNote;
}

/** Runs whose workflow tasks fail, as far as workers have noted it. */
export interface FailingRuns {
  /** Notes a failure; a later one replaces it, unless that has no reason. */
  note(runId: string, failure: TaskFailureNote): Promise<void>;
  /** The runs that have a note and have not ended, oldest run first. */
  list(limit: number): Promise<readonly FailingRun[]>;
  find(runId: string): Promise<TaskFailureNote | null>;
  /** Forgets a note, unless it is of another execution. */
  forget(runId: string, executionRunId: string): Promise<void>;
  /** Runs that Temporal has and that have not ended, in the order of their ids, after an id. */
  active(after: string, limit: number): Promise<readonly ActiveRun[]>;
}

export function createFailingRuns(db: Kysely<Tables>): FailingRuns {
  return {
    note: async (runId, { executionRunId, reason }) =>
      void (await db
        .updateTable('runs')
        .set({ failing_execution: executionRunId, failing_reason: reason })
        .where('id', '=', runId)
        .where('ended_at', 'is', null)
        .where(
          reason === null ? sql<boolean>`failing_execution is distinct from ${executionRunId}` : sql<boolean>`true`,
        )
        .execute()),
    list: async (limit) =>
      (await noted(db).where('ended_at', 'is', null).orderBy('id').limit(limit).execute()).flatMap(toFailingRun),
    find: async (runId) => {
      const row = await noted(db).where('id', '=', runId).executeTakeFirst();
      return row ? (toFailingRun(row)[0]?.failure ?? null) : null;
    },
    forget: async (runId, executionRunId) =>
      void (await db
        .updateTable('runs')
        .set({ failing_execution: null, failing_reason: null })
        .where('id', '=', runId)
        .where('failing_execution', '=', executionRunId)
        .execute()),
    active: async (after, limit) => {
      const rows = await db
        .selectFrom('runs')
        .select(['id', 'tenant_id'])
        .where('ended_at', 'is', null)
        .where('dispatched_at', 'is not', null)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id, tenant_id: tenantId }) => ({ id, tenantId }));
    },
  };
}

function noted(db: Kysely<Tables>) {
  return db
    .selectFrom('runs')
    .select(['id', 'tenant_id', 'failing_execution', 'failing_reason'])
    .where('failing_execution', 'is not', null);
}

type NotedRow = Awaited<ReturnType<ReturnType<typeof noted>['executeTakeFirstOrThrow']>>;

function toFailingRun({ id, tenant_id: tenantId, failing_execution, failing_reason }: NotedRow): FailingRun[] {
  if (failing_execution === null) return [];
  return [{ id, tenantId, failure: { executionRunId: failing_execution, reason: failing_reason } }];
}
