import { foldCheckpoints } from '../graph/checkpoint.ts';
import type { Store } from '../store/store.ts';

/**
 * A page of a run's checkpoints with the values at each, the newest first.
 * @param before the id of the last one of the page before
 */
export async function listCheckpoints(
  store: Pick<Store, 'journal'>,
  runId: string,
  { limit, before }: { limit: number; before: string | undefined },
) {
  const chain = (await store.journal.checkpointChain(runId, null)) ?? [];
  const end = before === undefined ? chain.length : chain.findIndex(({ id }) => id === before);
  const begin = Math.max(0, end - limit);
  const items = chain.slice(begin, end).map(({ id, parentId, step, source, next, createdAt }, at) => {
    const values = foldCheckpoints(chain.slice(0, begin + at + 1));
    return { id, runId, parentId, step, source, next, values, createdAt };
  });
  const oldest = items[0];
  return { items: items.reverse(), next: begin > 0 && oldest ? { at: oldest.createdAt, id: oldest.id } : null };
}
