import type { Kysely, Transaction } from 'kysely';
import type { EndedRunState, RunView } from '../graph/journal/index.ts';
import { isEnded } from '../graph/run/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';
import type { Tables } from './tables.ts';
import { reactivateRun } from './thread-queue.ts';

/** How a run that has ended is gone on with. */
export interface Reopening {
  /** The last event that is known; the run is left alone if there are others. */
  readonly lastSeq: number;
  /** What the run's next execution begins with. */
  readonly reopening: Json;
  readonly limits: JsonObject;
  /** The run as it is shown until it says something itself. */
  readonly view: RunView;
  readonly at: string;
}

/** A run that has ended, as what it is gone on with. */
export interface EndedRun {
  readonly state: EndedRunState;
  /** What its workflow was started with. */
  readonly start: Json;
  readonly lastSeq: number;
}

/** Runs that have ended and may go on. */
export interface EndedRuns {
  /** @returns `null` while the run has not ended; one that was ended by force can't go on */
  find(id: string): Promise<EndedRun | null>;
  /**
   * Has a run that has ended go on; one that stays ended, as its state is corrected, needs no turn on its thread.
   * @returns `busy`: its thread has gone on; `changed`: so has the run
   */
  reopen(id: string, reopening: Reopening): Promise<'reopened' | 'busy' | 'changed'>;
}

export function createEndedRuns(db: Kysely<Tables>): EndedRuns {
  return {
    find: (id) => find(db, id),
    reopen: (id, reopening) => db.transaction().execute((transaction) => reopen(transaction, id, reopening)),
  };
}

async function find(db: Kysely<Tables>, id: string): Promise<EndedRun | null> {
  const row = await db
    .selectFrom('runs')
    .select(['ended_state', 'start', 'last_seq'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.ended_state ? { state: row.ended_state, start: row.start, lastSeq: row.last_seq } : null;
}

/** A run that goes on has no ended state until it ends again: that is how a second attempt is told apart. */
async function reopen(
  transaction: Transaction<Tables>,
  id: string,
  { lastSeq, reopening, limits, view, at }: Reopening,
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
      limits: JSON.stringify(limits),
      view: JSON.stringify(view),
      status: view.status,
      ended_at: view.endedAt,
      ended_state: null,
      dispatched_at: null,
      dispatch_after: at,
    })
    .where('id', '=', id)
    .execute();
  return 'reopened';
}
