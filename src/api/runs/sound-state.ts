import { describeUndone, isBehind } from '../../graph/run/index.ts';
import type { UndoneWork } from '../../graph/run/index.ts';
import type { StoredCheckpoint } from '../../store/checkpoints.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../http/errors.ts';

/*
 * The rule of all that starts from the state of a run: not from one that stands for undone calls, be they the run's own or
 * those of a run that it goes on from. A fork relies on its parent's calls, also if the parent undoes them later; what a replay has
 * as answers are calls of the recorded run.
 */

type Reader = Pick<Store, 'runs' | 'journal' | 'checkpoints'>;

/** A place in a run's life. */
type Place = Pick<StoredCheckpoint, 'step' | 'seq'>;

const BEGINNING: Place = { step: -1, seq: 0 };
/** After all supersteps and events, which the store counts by integers. */
const END: Place = { step: 2_147_483_647, seq: 2_147_483_647 };

/** Undone calls, and the run that made them. */
interface FoundUndone {
  readonly run: RunRecord;
  readonly undone: UndoneWork;
}

/** The newest checkpoint of a run that stands for none of its undone calls; `null`: there is none. */
export async function soundCheckpoint(
  { checkpoints }: Pick<Store, 'checkpoints'>,
  { id, view }: Pick<RunRecord, 'id' | 'view'>,
): Promise<StoredCheckpoint | null> {
  return view?.undone ? await checkpoints.lastBefore(id, view.undone.since) : await checkpoints.find(id, null);
}

/**
 * The newest checkpoint at which a fork of a run may begin; it is one of a run that this one goes on from, if that has
 * undone calls since. `null`: there is none.
 */
export async function newestForkPoint(store: Reader, run: RunRecord): Promise<StoredCheckpoint | null> {
  const checkpoint = await soundCheckpoint(store, run);
  const found = checkpoint && (await findUndone(store, run, checkpoint));
  return found ? await newestForkPoint(store, found.run) : checkpoint;
}

/** @throws ApiError 409 when the state at a checkpoint stands for undone calls; it names the newest one that will do */
export async function requireSound(store: Reader, run: RunRecord, checkpoint: StoredCheckpoint): Promise<void> {
  const found = await findUndone(store, run, checkpoint);
  if (found) throw new ApiError('NOT_ALLOWED_NOW', `Checkpoint ${checkpoint.id} ${await describe(store, found)}`);
}

/** Says which undone calls a run has taken over from those that it goes on from; `null`: none. */
export async function inheritedUndone(store: Reader, run: RunRecord): Promise<string | null> {
  const found = await findInherited(store, run, END);
  return found && (await describe(store, found));
}

async function findUndone(store: Reader, run: RunRecord, place: Place): Promise<FoundUndone | null> {
  const undone = run.view?.undone;
  if (undone && isBehind(undone, place)) return { run, undone };
  return await findInherited(store, run, place);
}

async function findInherited(store: Reader, run: RunRecord, place: Place): Promise<FoundUndone | null> {
  const { replayOf, parentRunId } = run;
  const origin = await store.runs.find(replayOf ?? parentRunId ?? '');
  if (!origin) return null;
  return await findUndone(
    store,
    origin,
    replayOf === null ? await forkedAt(store, run, origin) : await playedUpTo(store, run, place),
  );
}

/** The place in its parent at which a fork began. */
async function forkedAt({ journal, checkpoints }: Reader, fork: RunRecord, parent: RunRecord): Promise<Place> {
  const started = await journal.lastOfType(fork.id, 'run.started');
  const checkpoint = started?.parent && (await checkpoints.find(parent.id, started.parent.checkpoint));
  // Retention may have deleted the checkpoint; a fork goes on counting the steps.
  return checkpoint ?? { ...END, step: (started?.step ?? 0) - 1 };
}

/** A replay is at the same place as its recording until it leaves it; then any answer of a tool may be that of an undone call. */
async function playedUpTo({ journal }: Reader, { id, divergence }: RunRecord, place: Place): Promise<Place> {
  if (divergence === null || place.seq < divergence.seq) return place;
  for await (const _ of journal.ofTypes(id, ['tool.called'], { after: 0, upTo: place.seq })) return END;
  return BEGINNING;
}

async function describe(store: Reader, { run, undone }: FoundUndone): Promise<string> {
  const sound = await soundCheckpoint(store, run);
  const wayOut = sound
    ? `the newest checkpoint that will do is ${sound.id} of run ${run.id}`
    : `no checkpoint of run ${run.id} will do; start a new run`;
  return `stands for calls of run ${run.id} that are undone or about to be (${describeUndone(undone)}), so later work would rely on them; ${wayOut}`;
}
