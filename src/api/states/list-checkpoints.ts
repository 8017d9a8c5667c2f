import { hideChannels } from '../../graph/redaction/index.ts';
import { positionOf } from '../../store/checkpoints.ts';
import type { StoredCheckpoint, StoredState } from '../../store/checkpoints.ts';
import { MAX_PAGE_BYTES } from '../../store/page.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../http/authenticate.ts';
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
  const { items, next } = await store.checkpoints.list(runIds, page);
  const { shown, end } = await firstOf(store.checkpoints.statesOf(items));
  const last = items[end - 1];
  const isCut = last !== undefined && end < items.length;
  const entries = await showAll({ store, caller }, shown, (entry, hidden) => ({
    ...entry,
    values: hideChannels(entry.values, hidden),
  }));
  return { items: entries, next: isCut ? positionOf(last) : next } satisfies Page<unknown>;
}

/** Takes states while a page has space for them, and computes no more. The first may be larger than a page. */
async function firstOf(states: AsyncIterable<StoredState | null>) {
  const shown: ReturnType<typeof toShown>[] = [];
  let bytes = 0;
  let end = 0;
  for await (const state of states) {
    const entry = state && toShown(state);
    if (entry) {
      bytes += Buffer.byteLength(JSON.stringify(entry));
      if (bytes > MAX_PAGE_BYTES && shown.length > 0) break;
      shown.push(entry);
    }
    end += 1;
    if (bytes > MAX_PAGE_BYTES) break;
  }
  return { shown, end };
}

function toShown({ checkpoint, channels }: StoredState) {
  const { id, runId, parentId, step, source, next, createdAt }: StoredCheckpoint = checkpoint;
  return { id, runId, parentId, step, source, next, values: channels, createdAt };
}
