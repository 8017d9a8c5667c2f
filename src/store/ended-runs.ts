import type { Kysely, Transaction } from 'kysely';
import type { EndedRunState, RunView } from '../graph/journal/index.ts';
import { isEnded } from '../graph/run/index.ts';
import type { Json } from '../graph/values/index.ts';
import type { Tables } from './tables.ts';
import { reactivateRun } from './thread-queue.ts';

/** The change that reopens an ended run. */
export interface Reopening {
  /** The last event that the caller has read. If there are newer events, the run is not reopened. */
  readonly lastSeq: number;
  /** The input of the run's next execution. */
  readonly reopening: Json;
  /** The run's view until its next execution writes one. */
  readonly view: RunView;
  readonly at: string;
}

/** An ended run with everything that is needed to reopen it. */
export interface EndedRun {
  readonly state: EndedRunState;
  /** The input of its first execution. */
  readonly start: Json;
  readonly lastSeq: number;
}

/** Reads and reopens ended runs. */
export interface EndedRuns {
  /** @returns `null` for a run that has not ended, or was terminated in Temporal */
  find(id: string): Promise<EndedRun | null>;
  /**
   * Reopens an ended run. A run that stays ended, because only its state is edited, need not be the active run of its
   * thread.
   * @returns `busy` when the thread has continued, `changed` when the run has changed
   */
  reopen(id: string, reopening: Reopening): Promise<'reopened' | 'busy' | 'changed'>;
}

/** @internal */
export function createEndedRuns(db: Kysely<Tables>): EndedRuns {
  return {
    async find(id) {
      const row = await db
        .selectFrom('runs')
        .select(['ended_state', 'start', 'last_seq'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.ended_state ? { state: row.ended_state, start: row.start, lastSeq: row.last_seq } : null;
    },
    reopen: (id, reopening) => db.transaction().execute((transaction) => reopenEndedRun(transaction, id, reopening)),
  };
}

/** A reopened run has no ended state until it ends again, so that a second request can't reopen it. */
async function reopenEndedRun(
  transaction: Transaction<Tables>,
  id: string,
  { lastSeq, reopening, view, at }: Reopening,
): Promise<'reopened' | 'busy' | 'changed'> {
  const row = await transaction
    .selectFrom('runs')
    .select(['tenant_id', 'thread_id', 'last_seq', 'execution'])
    .where('id', '=', id)
    .where('ended_state', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
  if (row?.last_seq !== lastSeq) return 'changed';
  const { tenant_id: tenantId, thread_id: threadId } = row;
  const isActive = threadId === null || (await reactivateRun(transaction, { runId: id, tenantId, threadId, at }));
  if (!isActive && !isEnded(view.status)) return 'busy';
  await transaction
    .updateTable('runs')
    .set({
      execution: row.execution + 1,
      reopening: JSON.stringify(reopening),
      view: JSON.stringify(view),
      status: view.status,
      ended_at: view.endedAt,
      ended_state: null,
      dispatched_at: null,
      dispatch_problem: null,
      dispatch_problem_since: null,
      dispatch_after: at,
    })
    .where('id', '=', id)
    .execute();
  return 'reopened';
}
