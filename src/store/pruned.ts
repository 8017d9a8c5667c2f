/** How many rows went, or would go. */
export type Pruned = Readonly<Record<'runs' | 'events' | 'checkpoints' | 'approvals' | 'ledger' | 'blobs', number>>;

export const NOTHING_PRUNED: Pruned = { runs: 0, events: 0, checkpoints: 0, approvals: 0, ledger: 0, blobs: 0 };

export function addPruned(one: Pruned, other: Pruned): Pruned {
  return {
    runs: one.runs + other.runs,
    events: one.events + other.events,
    checkpoints: one.checkpoints + other.checkpoints,
    approvals: one.approvals + other.approvals,
    ledger: one.ledger + other.ledger,
    blobs: one.blobs + other.blobs,
  };
}
