import type { PendingTask, RunView } from '../../graph/journal/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { positionOfCheckpoint } from '../../store/checkpoints.ts';
import type { StoredState, StoredCheckpoint } from '../../store/checkpoints.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { Store } from '../../store/store.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError, unavailableNow } from '../http/errors.ts';
import type { StateVersion } from '../http/etag.ts';
import { hideChannels } from '../../graph/redaction/index.ts';
import { MAX_PAGE_BYTES } from '../../store/page.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import type { Caller } from '../http/authenticate.ts';
import { redactAll } from '../redaction.ts';

/**
 * Reads the state of a run at a checkpoint.
 * @param wanted the id of the checkpoint; `null` for the newest state with the pending writes of the open superstep
 * @throws ApiError `UNKNOWN_CHECKPOINT`; 503 while the state is being written
 */
export async function readState({ store }: Pick<ApiDeps, 'store'>, run: RunRecord, wanted: string | null) {
  const found = await findState(store, run.id, wanted);
  if (!found && wanted !== null)
    throw new ApiError('UNKNOWN_CHECKPOINT', `Run ${run.id} has no checkpoint "${wanted}"`);
  const { checkpoint, channels } = found ?? NOTHING_YET;
  return {
    values: channels,
    checkpoint: checkpoint.id,
    visited: await store.journal.visited(run.id, checkpoint.seq),
    next: checkpoint.next,
    pending: NOTHING_PENDING,
    ...(isLatestState(run, wanted) && (await nextNodesOf(store, run))),
  };
}

const NOTHING_PENDING: readonly PendingWrite[] = [];
const NOTHING_YET = { checkpoint: { id: null, seq: 0, next: [] }, channels: {} } as const;

function isLatestState({ view }: RunRecord, wanted: string | null): boolean {
  return wanted === null || wanted === view?.checkpointId;
}

/** A write that will be applied at the end of the open superstep. */
export interface PendingWrite extends PendingTask {
  readonly update: JsonObject;
}

interface NextNodes extends Pick<RunView, 'next'> {
  readonly pending: readonly PendingWrite[];
}

/** Reads what the `ETag` of a run's newest state covers. @throws ApiError 503 while the view is being written */
export async function readStateVersion(store: Store, run: RunRecord): Promise<StateVersion> {
  const { next = [], pending = [] } = (await nextNodesOf(store, run)) ?? {};
  return { checkpoint: run.view?.checkpointId ?? null, next, pending };
}

/**
 * Returns what follows the newest checkpoint, from the run's view if that is newer.
 * @throws ApiError 503 while the view is being written
 */
async function nextNodesOf({ journal }: Store, { id, view }: RunRecord): Promise<NextNodes | null> {
  if (!view) return null;
  const stored = await journal.lastUpdates(
    id,
    view.step,
    view.pending.filter(({ update }) => !update),
  );
  const updates = stored.values();
  const pending = view.pending.map((task) => {
    const update = task.update ?? updates.next().value;
    if (!update) throw incompleteCheckpoint(id);
    return { ...task, update };
  });
  return { next: view.next, pending };
}

/**
 * Reads the state at a checkpoint.
 * @param id `null` for the newest checkpoint with a complete state
 * @returns `null` when there is no such checkpoint
 * @throws ApiError 503 while the state is being written
 */
export async function findState({ checkpoints }: Store, runId: string, id: string | null): Promise<StoredState | null> {
  const state = await checkpoints.at(runId, id);
  if (!state && (await checkpoints.find(runId, id))) throw incompleteCheckpoint(runId);
  return state;
}

/** Reads the complete state at a checkpoint. @throws ApiError 503 while it is being written */
export async function wholeState({ checkpoints }: Store, checkpoint: StoredCheckpoint): Promise<StoredState> {
  const state = await checkpoints.stateOf(checkpoint);
  if (!state) throw incompleteCheckpoint(checkpoint.runId);
  return state;
}

const incompleteCheckpoint = (runId: string): Error => unavailableNow(`A checkpoint of run ${runId} is being written`);

/**
 * Lists checkpoints of some runs with their values, newest first and redacted for the caller. Checkpoints whose values
 * are still being written are left out.
 */
export async function listCheckpoints(
  store: Store,
  caller: Pick<Caller, 'permissions'>,
  runIds: readonly string[],
  page: PageRequest,
) {
  const { items, next } = await store.checkpoints.list(runIds, page);
  const { entries, end } = await firstCheckpointOf(store.checkpoints.statesOf(items));
  const last = items[end - 1];
  const isCut = last !== undefined && end < items.length;
  const visible = await redactAll(store, caller, entries, (entry, hidden) => ({
    ...entry,
    values: hideChannels(entry.values, hidden),
  }));
  return { items: visible, next: isCut ? positionOfCheckpoint(last) : next } satisfies Page<unknown>;
}

/**
 * Takes states until the page is full, and does not compute the rest. The first state is taken even if it is larger
 * than a page.
 */
async function firstCheckpointOf(states: AsyncIterable<StoredState | null>) {
  const entries: ReturnType<typeof toCheckpointJson>[] = [];
  let bytes = 0;
  let end = 0;
  for await (const state of states) {
    const entry = state && toCheckpointJson(state);
    if (entry) {
      bytes += Buffer.byteLength(JSON.stringify(entry));
      if (bytes > MAX_PAGE_BYTES && entries.length > 0) break;
      entries.push(entry);
    }
    end += 1;
    if (bytes > MAX_PAGE_BYTES) break;
  }
  return { entries, end };
}

function toCheckpointJson({ checkpoint, channels }: StoredState) {
  const { id, runId, parentId, step, source, next, createdAt }: StoredCheckpoint = checkpoint;
  return { id, runId, parentId, step, source, next, values: channels, createdAt };
}
