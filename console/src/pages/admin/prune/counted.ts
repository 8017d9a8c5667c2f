import type { Pruned } from 'holdfast/client';

/** What is counted of the things that have outlived their retention, in the order in which it is shown. */
export const COUNTED = ['runs', 'events', 'checkpoints', 'approvals', 'ledger', 'blobs'] as const;

/** True if something would go: checkpoints may, though no run does. */
export function isAnyCounted(pruned: Pruned): boolean {
  return COUNTED.some((name) => pruned[name] > 0);
}
