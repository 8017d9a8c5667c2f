import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { SentSignal } from '../graph/run/index.ts';
import type { Tables } from './tables.ts';

/** The limits of the signals for one queued run; a running run buffers as many events. */
const MAX_QUEUED_SIGNALS = 100;
const MAX_QUEUED_BYTES = 2 * 1_048_576;

/**
 * Stores a signal for a queued run; the same signal again changes nothing.
 * @returns `full` when the run has as many as it may, `dequeued` when it is not queued any more
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
  if (kept.some(({ payload }) => payload.signalId === signal.payload.signalId)) return 'taken';
  const all = JSON.stringify([...kept, signal]);
  if (kept.length >= MAX_QUEUED_SIGNALS || Buffer.byteLength(all) > MAX_QUEUED_BYTES) return 'full';
  await transaction.updateTable('runs').set({ queued_signals: all }).where('id', '=', id).execute();
  return 'taken';
}
