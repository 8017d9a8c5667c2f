import type { LedgerRow } from 'holdfast/client';

type Row = Pick<LedgerRow, 'status'>;

/** Those of a ledger's rows that no record says the outcome of. */
export function inDoubt<T extends Row>(rows: readonly T[]): readonly T[] {
  return rows.filter(({ status }) => status === 'unknown');
}

/** Says how many of a ledger's rows are in doubt. @param hasMore rows that are not shown may be in doubt, too */
export function tellDoubt(rows: readonly Row[], hasMore: boolean): string {
  const doubtful = inDoubt(rows).length;
  const are = doubtful > 1 ? 'are' : 'is';
  if (hasMore) return `${doubtful === 0 ? 'None' : doubtful} of the ${rows.length} shown ${are} in doubt`;
  if (doubtful === 0) return 'None of them is in doubt';
  return doubtful === 1 ? 'One call is in doubt' : `${doubtful} calls are in doubt`;
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
