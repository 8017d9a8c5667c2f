import type { LedgerRow, Pruned } from 'holdfast/client';

type Row = Pick<LedgerRow, 'status'>;

/** The rows of a ledger whose call may or may not have been made. */
export function withUnknownOutcome<T extends Row>(rows: readonly T[]): readonly T[] {
  return rows.filter(({ status }) => status === 'unknown');
}

/** Says how many of a ledger's rows have an unknown outcome. @param hasMore rows that are not shown may have one, too */
export function describeUnknownOutcomes(rows: readonly Row[], hasMore: boolean): string {
  const unknown = withUnknownOutcome(rows).length;
  const have = unknown > 1 ? 'have' : 'has';
  if (hasMore) return `${unknown === 0 ? 'None' : unknown} of the ${rows.length} shown ${have} an unknown outcome`;
  if (unknown === 0) return 'None of them has an unknown outcome';
  return unknown === 1 ? 'One call has an unknown outcome' : `${unknown} calls have an unknown outcome`;
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

/** What is counted of the things that have outlived their retention, in the order in which it is shown. */
export const COUNTED = ['runs', 'events', 'checkpoints', 'approvals', 'ledger', 'blobs'] as const;

/** True if something would go: checkpoints may, though no run does. */
export function isAnyCounted(pruned: Pruned): boolean {
  return COUNTED.some((name) => pruned[name] > 0);
}
