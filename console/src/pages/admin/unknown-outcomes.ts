import type { LedgerRow, Pruned } from 'holdfast/client';

type Row = Pick<LedgerRow, 'status'>;

/** The rows of a ledger whose call was possibly executed. */
export function withUnknownOutcome<T extends Row>(rows: readonly T[]): readonly T[] {
  return rows.filter(({ status }) => status === 'unknown');
}

/** Describes how many rows of a ledger have an unknown outcome. @param hasMore true if there are rows that are not loaded */
export function describeUnknownOutcomes(rows: readonly Row[], hasMore: boolean): string {
  const unknown = withUnknownOutcome(rows).length;
  const have = unknown > 1 ? 'have' : 'has';
  if (hasMore) return `${unknown === 0 ? 'None' : unknown} of the ${rows.length} shown ${have} an unknown outcome`;
  if (unknown === 0) return 'None of them has an unknown outcome';
  return unknown === 1 ? 'One call has an unknown outcome' : `${unknown} calls have an unknown outcome`;
}

/** Rows whose call is in progress or will be retried. */
export function open<T extends Row>(rows: readonly T[]): readonly T[] {
  return rows.filter(({ status }) => status === 'claimed' || status === 'retrying');
}

/** Maps the status of a row to one that `Status` knows. */
export const LOOKS: Readonly<Record<LedgerRow['status'], string>> = {
  claimed: 'running',
  retrying: 'pending',
  completed: 'completed',
  failed: 'failed',
  unknown: 'unknown',
};

/** The counts of data that has outlived its retention, in display order. */
export const COUNTED = ['runs', 'events', 'checkpoints', 'approvals', 'ledger', 'blobs'] as const;

/** True if something would be deleted: possibly only checkpoints. */
export function isAnyCounted(pruned: Pruned): boolean {
  return COUNTED.some((name) => pruned[name] > 0);
}
