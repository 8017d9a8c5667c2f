import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** A single failure by a run's own code may be a coincidence; two are taken as proof. */
export const FEWEST_PROOFS = 2;

/** What a worker has recorded about a failed workflow task, or one that is about to fail. */
export type TaskFailureNote = {
  /** Temporal's id of the execution. */
  readonly executionRunId: string;
} & TaskFailureCause;

export type TaskFailureCause =
  /**
   * The run's own code made the task fail. Each failure of the task counts as a proof, and so does each process that
   * the code alone has ended.
   */
  | { readonly by: 'code'; readonly reason: string; readonly proofs: number }
  /** Temporal has refused the worker's answer; the worker can't determine the cause. */
  | { readonly by: 'temporal' }
  /** The task waits so long in the queue of a busy worker that it times out. */
  | { readonly by: 'queue' }
  /** The worker's machine was too busy for the task, or something else has ended the process that executed it. */
  | { readonly by: 'machine' };

export interface ActiveRun {
  readonly id: string;
  readonly tenantId: string;
}

export interface FailingRun extends ActiveRun {
  readonly failure: TaskFailureNote;
}

/** Runs with failing workflow tasks, as far as workers have recorded them. */
export interface FailingRuns {
  /**
   * Records a failure. It replaces an earlier one of the same execution only if the run's code caused it, and then adds
   * its proofs.
   */
  note(runId: string, failure: TaskFailureNote): Promise<void>;
  /** Lists the runs with a recorded failure that have not ended, oldest run first. */
  list(limit: number): Promise<readonly FailingRun[]>;
  find(runId: string): Promise<TaskFailureNote | null>;
  /** Deletes the recorded failure, unless it belongs to another execution. */
  forget(runId: string, executionRunId: string): Promise<void>;
  /**
   * Lists dispatched runs that have not ended and whose journal was not written for a while, ordered by id, after the
   * given id.
   */
  active(after: string, limit: number): Promise<readonly (ActiveRun & { readonly failure: TaskFailureNote | null })[]>;
}

/** @internal */
export function createFailingRuns(db: Kysely<Tables>): FailingRuns {
  return {
    async note(runId, failure) {
      const { executionRunId, by } = failure;
      const [reason, proofs] = by === 'code' ? [failure.reason, failure.proofs] : [null, 0];
      const isSame = sql<boolean>`failing_execution is not distinct from ${executionRunId}`;
      await db
        .updateTable('runs')
        .set({
          failing_execution: executionRunId,
          failing_by: by,
          failing_reason: reason,
          failing_proofs: sql<number>`${proofs}::integer + case when ${isSame} then failing_proofs else 0 end`,
        })
        .where('id', '=', runId)
        .where('ended_at', 'is', null)
        .where(by === 'code' ? sql<boolean>`true` : sql<boolean>`not ${isSame}`)
        .execute();
    },
    list: async (limit) =>
      (await selectNoted(db).where('ended_at', 'is', null).orderBy('id').limit(limit).execute()).flatMap((row) => {
        const failure = toFailureNote(row);
        return failure ? [{ ...toActiveRun(row), failure }] : [];
      }),
    async find(runId) {
      const row = await selectNoted(db).where('id', '=', runId).executeTakeFirst();
      return row ? toFailureNote(row) : null;
    },
    forget: async (runId, executionRunId) =>
      void (await db
        .updateTable('runs')
        .set({ failing_execution: null, failing_by: null, failing_reason: null, failing_proofs: 0 })
        .where('id', '=', runId)
        .where('failing_execution', '=', executionRunId)
        .execute()),
    async active(after, limit) {
      const rows = await selectWithNotes(db)
        .where('ended_at', 'is', null)
        .where('dispatched_at', 'is not', null)
        .where(HAS_RESTED)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...toActiveRun(row), failure: toFailureNote(row) }));
    },
  };
}

const HAS_RESTED = sql<boolean>`(written_at is null or written_at < now() - interval '10 seconds')`;

function selectWithNotes(db: Kysely<Tables>) {
  return db
    .selectFrom('runs')
    .select(['id', 'tenant_id', 'failing_execution', 'failing_by', 'failing_reason', 'failing_proofs']);
}

function selectNoted(db: Kysely<Tables>) {
  return selectWithNotes(db).where('failing_execution', 'is not', null);
}

type NotedRow = Awaited<ReturnType<ReturnType<typeof selectWithNotes>['executeTakeFirstOrThrow']>>;

function toActiveRun({ id, tenant_id: tenantId }: NotedRow): ActiveRun {
  return { id, tenantId };
}

function toFailureNote(row: NotedRow): TaskFailureNote | null {
  const { failing_execution: executionRunId, failing_by: by, failing_reason: reason, failing_proofs: proofs } = row;
  if (executionRunId === null || by === null) return null;
  return by === 'code' ? { executionRunId, by, reason: reason ?? '', proofs } : { executionRunId, by };
}
