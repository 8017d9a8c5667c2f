import type { Page, PageRequest } from '../store/page.ts';
import type { Store } from '../store/store.ts';

/**
 * A page of the checkpoints of some runs with the values at each, the newest first. Those whose values are not known yet,
 * because one before them is still being written, are left out.
 */
export async function listCheckpoints({ checkpoints }: Store, runIds: readonly string[], page: PageRequest) {
  const { items, next } = await checkpoints.list(runIds, page);
  const oldestFirst = [];
  for (const checkpoint of items.toReversed()) {
    const { id, runId, parentId, step, source, next: nodes, createdAt } = checkpoint;
    const state = await checkpoints.stateOf(checkpoint);
    if (state) oldestFirst.push({ id, runId, parentId, step, source, next: nodes, values: state.channels, createdAt });
  }
  return { items: oldestFirst.reverse(), next } satisfies Page<unknown>;
}
