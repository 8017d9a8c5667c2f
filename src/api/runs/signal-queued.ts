import { NOT_BEGUN } from '../../graph/journal/index.ts';
import type { SignalResult, SentSignal } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

interface SignalToQueued extends SentSignal {
  readonly by: string;
}

/**
 * Sends a signal to a run that waits for its turn on its thread: it can be canceled, and events are kept for it.
 * @returns `null`: it waits no longer
 * @throws ApiError 409 for any other signal, or when it keeps as many events as it may
 */
export async function signalQueued(
  deps: Pick<ApiDeps, 'store'>,
  run: RunRecord,
  signal: SignalToQueued,
): Promise<SignalResult | null> {
  const take = WAYS[signal.name];
  if (!take) throw new ApiError('NOT_ALLOWED_NOW', 'The run is queued; it has not begun yet');
  return (await take(deps, run, signal)) ? { id: signal.payload.decisionId, taken: true, value: null } : null;
}

/** @returns whether the run still waited */
type Way = (deps: Pick<ApiDeps, 'store'>, run: RunRecord, signal: SignalToQueued) => Promise<boolean>;

const WAYS: Readonly<Record<string, Way>> = { cancel: cancelQueued, event: keepEvent };

async function cancelQueued(
  { store }: Pick<ApiDeps, 'store'>,
  run: RunRecord,
  { payload, by }: SignalToQueued,
): Promise<boolean> {
  const at = new Date().toISOString();
  const reason = typeof payload['reason'] === 'string' ? payload['reason'] : null;
  return await store.threads.cancelQueued(run, {
    events: [{ seq: 1, at, step: -1, type: 'run.canceled', by, reason }],
    checkpoints: [],
    approvals: [],
    occurrences: [],
    view: { ...NOT_BEGUN, status: 'canceled', endedAt: at },
    endedState: null,
  });
}

async function keepEvent(
  { store }: Pick<ApiDeps, 'store'>,
  { id }: RunRecord,
  { name, payload }: SignalToQueued,
): Promise<boolean> {
  const kept = await store.threads.tellQueued(id, { name, payload });
  if (kept === 'full')
    throw new ApiError('BUFFER_FULL', 'The run is queued, and keeps as many events for its beginning as it may');
  return kept === 'kept';
}
