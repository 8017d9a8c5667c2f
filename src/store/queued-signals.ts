import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { SentSignal } from '../graph/run/index.ts';
import type { Tables } from './tables.ts';

/** So many are kept for a run that waits for its turn, as many as a run keeps events, and so much of them together. */
const MAX_KEPT = 100;
const MAX_BYTES = 2 * 1_048_576;

/**
 * Keeps a signal for a run that waits for its turn; the same again changes nothing.
 * @returns `full`: it keeps as many as it may; `dequeued`: it waits no longer
 */
export async function queueSignal(
  transaction: Transaction<Tables>,
  id: string,
  signal: SentSignal,
): Promise<'taken' | 'full' | 'dequeued'> {
  const row = await transaction
    .selectFrom('runs')
    .select('queued_signals')
    .where('id', '=', id)
    .where(sql<boolean>`not is_dequeued`)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return 'dequeued';
  const { queued_signals: kept } = row;
  if (kept.some(({ payload }) => payload.decisionId === signal.payload.decisionId)) return 'taken';
  const all = JSON.stringify([...kept, signal]);
  if (kept.length >= MAX_KEPT || Buffer.byteLength(all) > MAX_BYTES) return 'full';
  await transaction.updateTable('runs').set({ queued_signals: all }).where('id', '=', id).execute();
  return 'taken';
}
