import type { Beginning } from '../../graph/advance/index.ts';
import { isRedacting } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { formatTimestamp, isJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { NewRun } from '../../store/accept-run.ts';
import type { PendingStart } from '../../store/pending-starts.ts';
import { isStart } from '../../workflows/contract.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { StoredCheckpoint } from '../../store/checkpoints.ts';
import { wholeState } from './read-state.ts';
import { soundCheckpoint } from './sound-state.ts';

/** Another process may claim the dispatch after this time, which is longer than a request to Temporal takes. */
const LEASE_MS = 20_000;

type DispatchDeps = Pick<ApiDeps, 'engine' | 'store' | 'graphJobs'>;

/**
 * Accepts a new run and dispatches it if it is not queued. If that fails, the sweeper dispatches it later.
 * @returns `busy` when the thread has an active run and refuses another
 */
export async function acceptAndDispatch(
  deps: DispatchDeps & Pick<ApiDeps, 'logger'>,
  run: NewRun,
): Promise<'accepted' | 'busy'> {
  const { id, start, redaction } = run;
  const accepted = await deps.store.runs.create(run, formatTimestamp(Date.now() + LEASE_MS));
  if (accepted === 'busy') return 'busy';
  const claimed = { id, start, redaction, reopening: null, predecessorId: null, execution: 1, queuedSignals: [] };
  await orLeaveToSweeper(deps, id, async () => {
    if (accepted !== 'claimed' || !isStart(start)) return await dispatchRun(deps, id);
    await startWorkflow(deps, claimed, start);
    confirmLater(deps.store, claimed);
  });
  return 'accepted';
}

/**
 * Accepts a run. An error of `accept` is ignored if an earlier attempt has already accepted the run.
 * @throws what `accept` throws if there is no such run
 */
export async function unlessAccepted(
  { store }: Pick<ApiDeps, 'store'>,
  id: string,
  accept: () => Promise<void>,
): Promise<void> {
  await accept().catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || !(await store.runs.find(id))) throw error;
  });
}

/** Starts the workflow of an accepted run, unless it is queued, dispatched, or claimed by another process. */
export async function dispatchRun(deps: DispatchDeps, id: string): Promise<void> {
  const now = Date.now();
  const { pendingStarts } = deps.store;
  const claimed = await pendingStarts.claim(id, formatTimestamp(now), formatTimestamp(now + LEASE_MS));
  if (!claimed) return;
  const { start } = claimed;
  if (!isStart(start)) throw new Error(`Run ${id} can't be started: its row has no start that can be read`);
  await startWorkflow(deps, claimed, start);
  await pendingStarts.complete(claimed, formatTimestamp(Date.now()));
}

async function startWorkflow(
  { engine, store, graphJobs }: DispatchDeps,
  claimed: PendingStart,
  start: RunGraphInput,
): Promise<void> {
  const { reopening, predecessorId, execution, queuedSignals } = claimed;
  const begin =
    reopening === null ? await firstBeginning(store, start, predecessorId) : readReopening(claimed.id, reopening);
  const redaction = await saveInheritedRedaction({ store, graphJobs }, claimed, start);
  await engine.start({
    ...start,
    begin,
    execution,
    ...(isRedacting(redaction) && { redaction }),
    ...(execution === 1 && queuedSignals.length > 0 && { queuedSignals }),
  });
}

/** The first journal batch of a run usually arrives within this time, and confirms that Temporal has the run. */
const CONFIRM_AFTER_MS = 1_000;

/**
 * Records that Temporal has a run, unless the journal has confirmed it in the meantime. If this fails, the sweeper
 * starts the run again, which has no effect.
 */
function confirmLater({ changes, pendingStarts }: ApiDeps['store'], claimed: PendingStart): void {
  const confirm = async (): Promise<void> => {
    unsubscribe();
    await pendingStarts.complete(claimed, formatTimestamp(Date.now())).catch(() => undefined);
  };
  const timer = setTimeout(() => void confirm(), CONFIRM_AFTER_MS).unref();
  const unsubscribe = changes.subscribe(claimed.id, (change) => {
    if (!change) return;
    clearTimeout(timer);
    unsubscribe();
  });
}

/** Dispatches a run. After a failure, the sweeper tries again. */
export async function dispatchOrLeave(deps: DispatchDeps & Pick<ApiDeps, 'logger'>, id: string): Promise<void> {
  await orLeaveToSweeper(deps, id, () => dispatchRun(deps, id));
}

async function orLeaveToSweeper(
  { logger, store }: Pick<ApiDeps, 'logger' | 'store'>,
  id: string,
  dispatch: () => Promise<void>,
): Promise<void> {
  await dispatch().catch(async (error: unknown) => {
    logger.warn({ error, run: id }, 'a run could not be dispatched yet');
    const reason = error instanceof ApiError ? error.message : 'The server failed; its log says more';
    await store.pendingStarts.fail(id, reason, formatTimestamp(Date.now())).catch(() => undefined);
  });
}

/**
 * A run of a thread inherits the redaction of its predecessor: channels of the same name, everything derived from them,
 * and what is hidden of its own input.
 */
async function saveInheritedRedaction(
  { store, graphJobs }: Pick<ApiDeps, 'store' | 'graphJobs'>,
  { id, execution, predecessorId, redaction }: PendingStart,
  { definition, catalog, identity: { tenantId } }: RunGraphInput,
): Promise<Redaction> {
  if (execution > 1 || predecessorId === null) return redaction;
  const ofThread = await inheritedChannels(store, predecessorId);
  const taken = ofThread.filter((name) => Object.hasOwn(definition.channels ?? {}, name));
  if (taken.every((name) => redaction.channels.includes(name))) return redaction;
  const inherited = { channels: [...redaction.channels, ...taken] };
  const found = await graphJobs.do('findRedaction', tenantId, { definition, catalog }, inherited);
  await store.runs.setRedaction(id, found);
  return found;
}

/** Parses the beginning of a later execution from its row. @throws if the row lacks the run, signal or payload */
function readReopening(id: string, stored: Json): Beginning {
  const { kind, run, name, payload } = isJsonObject(stored) ? stored : {};
  const format = isJsonObject(run) ? run['format'] : undefined;
  if (kind === 'reopen' && isJsonObject(run) && typeof format === 'number')
    if (typeof name === 'string' && isJsonObject(payload)) return { kind, run: { ...run, format }, name, payload };
  throw new Error(
    `Run ${id} can't be reopened: its row lacks the ended run with its format, or the signal with its payload`,
  );
}

/**
 * Adds the state of the thread's previous run to the beginning of a run.
 * @throws ApiError 503 while that state is being written
 */
export async function firstBeginning(
  store: ApiDeps['store'],
  { begin }: Pick<RunGraphInput, 'begin'>,
  predecessorId: string | null,
): Promise<Beginning> {
  if (begin.kind !== 'input') return begin;
  const left = await checkpointLeftBy(store, predecessorId);
  return left ? { ...begin, base: (await wholeState(store, left)).channels } : begin;
}

/** Returns the hidden channels of the run whose state a thread continues with. */
export async function inheritedChannels(
  store: ApiDeps['store'],
  predecessorId: string | null,
): Promise<readonly string[]> {
  const left = await checkpointLeftBy(store, predecessorId);
  if (!left) return [];
  return (await store.runs.redactionOfRuns([left.runId])).get(left.runId)?.channels ?? [];
}

/**
 * Returns the checkpoint from which a thread continues: the newest one of its last run that does not rely on undone
 * calls, or of an earlier run if that run has none. So after a run that failed and was compensated, the conversation
 * continues from before the compensated calls.
 */
export async function checkpointLeftBy(
  store: Pick<ApiDeps['store'], 'runs' | 'checkpoints'>,
  runId: string | null,
): Promise<StoredCheckpoint | null> {
  for (let id = runId; id !== null;) {
    const run = await store.runs.find(id);
    const sound = await soundCheckpoint(store, { id, view: run?.view ?? null });
    if (sound) return sound;
    id = run?.predecessorId ?? null;
  }
  return null;
}
