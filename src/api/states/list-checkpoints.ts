import { hideChannels } from '../../graph/redaction/index.ts';
import { positionOf } from '../../store/checkpoints.ts';
import type { StoredCheckpoint, StoredState } from '../../store/checkpoints.ts';
import { MAX_PAGE_BYTES } from '../../store/page.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../http/authenticate.ts';
import { createPageBytes } from '../http/page-bytes.ts';
import { showAll } from '../redaction/hidden-from.ts';

/**
 * A page of the checkpoints of some runs with their values, as a caller may see them, newest first. Checkpoints whose values are
 * still being written are left out.
 */
export async function listCheckpoints(
  { store, caller }: { readonly store: Store; readonly caller: Pick<Caller, 'permissions'> },
  runIds: readonly string[],
  page: PageRequest,
) {
  const { checkpoints } = store;
  const { items, next } = await checkpoints.list(runIds, page);
  const shown = createPageBytes<ReturnType<typeof toShown>>(items.length, MAX_PAGE_BYTES);
  for (const run of new Set(items.map(({ runId }) => runId))) {
    let before: StoredState | null = null;
    for (const [rank, checkpoint] of [...items.entries()].toReversed()) {
      if (checkpoint.runId !== run || !shown.has(rank)) continue;
      const state: StoredState | null = await checkpoints.stateOf(checkpoint, before);
      if (state) shown.put(rank, toShown(state));
      before = state ?? before;
    }
  }
  const last = items[shown.end() - 1];
  const isCut = last !== undefined && shown.end() < items.length;
  const entries = await showAll({ store, caller }, shown.entries(), (entry, hidden) => ({
    ...entry,
    values: hideChannels(entry.values, hidden),
  }));
  return { items: entries, next: isCut ? positionOf(last) : next } satisfies Page<unknown>;
}

function toShown({ checkpoint, channels }: StoredState) {
  const { id, runId, parentId, step, source, next, createdAt }: StoredCheckpoint = checkpoint;
  return { id, runId, parentId, step, source, next, values: channels, createdAt };
}
