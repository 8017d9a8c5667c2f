import type { LedgerRow } from 'holdfast/client';

type Row = Pick<LedgerRow, 'status'>;

/** Those of a ledger's rows that no record says the outcome of. */
export function inDoubt<T extends Row>(rows: readonly T[]): readonly T[] {
  return rows.filter(({ status }) => status === 'unknown');
}

/** Those whose call is being made, or will be made again. */
export function open<T extends Row>(rows: readonly T[]): readonly T[] {
  return rows.filter(({ status }) => status === 'claimed' || status === 'retrying');
}

/** The statuses of rows by the looks that statuses have. */
export const LOOKS: Readonly<Record<LedgerRow['status'], string>> = {
  claimed: 'running',
  retrying: 'pending',
  completed: 'completed',
  failed: 'failed',
  unknown: 'unknown',
};
