import { describeUndone, includesUndoneWork } from '../../graph/run/index.ts';
import type { UndoneWork } from '../../graph/run/index.ts';
import type { StoredCheckpoint } from '../../store/checkpoints.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../http/errors.ts';

/*
 * Nothing may start from a state that relies on undone calls, be they calls of the run itself or of a run whose state
 * it has continued. A fork relies on the calls of its parent, even if the parent undoes them later. A replay relies on
 * the calls of the recorded run, whose results it uses.
 */

type UndoneWorkReader = Pick<Store, 'runs' | 'journal' | 'checkpoints'>;

/** A position in the history of a run. */
type HistoryPosition = Pick<StoredCheckpoint, 'step' | 'seq'>;

const BEGINNING: HistoryPosition = { step: -1, seq: 0 };
/** A position after all supersteps and events, whose numbers are stored as 32-bit integers. */
const END: HistoryPosition = { step: 2_147_483_647, seq: 2_147_483_647 };

/** Undone calls, and the run that made them. */
interface FoundUndone {
  readonly run: RunRecord;
  readonly undone: UndoneWork;
}

/** Returns the newest checkpoint of a run that relies on none of its undone calls, or `null`. */
export async function soundCheckpoint(
  { checkpoints }: Pick<Store, 'checkpoints'>,
  { id, view }: Pick<RunRecord, 'id' | 'view'>,
): Promise<StoredCheckpoint | null> {
  return view?.undone ? await checkpoints.lastBefore(id, view.undone.since) : await checkpoints.find(id, null);
}

/**
 * Returns the newest checkpoint from which a fork of the run may start. It belongs to an ancestor if that has undone
 * calls since this run began.
 * @returns `null` when there is none
 */
export async function newestForkPoint(store: UndoneWorkReader, run: RunRecord): Promise<StoredCheckpoint | null> {
  const checkpoint = await soundCheckpoint(store, run);
  const found = checkpoint && (await findUndone(store, run, checkpoint));
  return found ? await newestForkPoint(store, found.run) : checkpoint;
}

/**
 * @throws ApiError 409 when the state at the checkpoint relies on undone calls; the error names the newest usable
 * checkpoint
 */
export async function requireSound(
  store: UndoneWorkReader,
  run: RunRecord,
  checkpoint: StoredCheckpoint,
): Promise<void> {
  const found = await findUndone(store, run, checkpoint);
  if (found) throw new ApiError('NOT_ALLOWED_NOW', `Checkpoint ${checkpoint.id} ${await describe(store, found)}`);
}

/** Describes the undone calls of ancestors on which the run relies, or returns `null`. */
export async function inheritedUndone(store: UndoneWorkReader, run: RunRecord): Promise<string | null> {
  const found = await findInherited(store, run, END);
  return found && (await describe(store, found));
}

async function findUndone(
  store: UndoneWorkReader,
  run: RunRecord,
  position: HistoryPosition,
): Promise<FoundUndone | null> {
  const undone = run.view?.undone;
  if (undone && includesUndoneWork(undone, position.step)) return { run, undone };
  return await findInherited(store, run, position);
}

async function findInherited(
  store: UndoneWorkReader,
  run: RunRecord,
  position: HistoryPosition,
): Promise<FoundUndone | null> {
  const { replayOf, parentRunId } = run;
  const origin = await store.runs.find(replayOf ?? parentRunId ?? '');
  if (!origin) return null;
  return await findUndone(
    store,
    origin,
    replayOf === null ? await readForkPoint(store, run, origin) : await playedUpTo(store, run, position),
  );
}

/** Returns the position in the parent at which a fork started. */
async function readForkPoint(
  { journal, checkpoints }: UndoneWorkReader,
  fork: RunRecord,
  parent: RunRecord,
): Promise<HistoryPosition> {
  const started = await journal.lastOfType(fork.id, 'run.started');
  const checkpoint = started?.parent && (await checkpoints.find(parent.id, started.parent.checkpoint));
  // Retention may have deleted the checkpoint. The fork continues the parent's step numbers, so the step is still
  // known.
  return checkpoint ?? { ...END, step: (started?.step ?? 0) - 1 };
}

/**
 * A replay has the same position as its recording until it diverges. After that, any tool result in it may come from an
 * undone call.
 */
async function playedUpTo(
  { journal }: UndoneWorkReader,
  { id, divergence }: RunRecord,
  position: HistoryPosition,
): Promise<HistoryPosition> {
  if (divergence === null || position.seq < divergence.seq) return position;
  for await (const _ of journal.ofTypes(id, ['tool.called'], { after: 0, upTo: position.seq })) return END;
  return BEGINNING;
}

async function describe(store: UndoneWorkReader, { run, undone }: FoundUndone): Promise<string> {
  const sound = await soundCheckpoint(store, run);
  const wayOut = sound
    ? `the newest checkpoint that will do is ${sound.id} of run ${run.id}`
    : `no checkpoint of run ${run.id} will do; start a new run`;
  return `stands for calls of run ${run.id} that are undone or about to be (${describeUndone(undone)}), so later work would rely on them; ${wayOut}`;
}
