import type { Principal, Refusal, SentSignal, SignalResult } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { Store } from '../../store/store.ts';
import type { ApiDeps } from '../deps.ts';
import { closingBatch } from './closing-batch.ts';
import { unknownRun } from './find-run.ts';

/** A signal with its sender. */
export interface SignedSignal extends SentSignal {
  readonly payload: SentSignal['payload'] & {
    readonly by: Principal;
  };
}

/**
 * Signals a queued run, which can be canceled, and stores events until it begins.
 * @returns the result, or the run in its new state if it is not queued any more
 */
export async function signalQueued(
  { store }: Pick<ApiDeps, 'store'>,
  run: RunRecord,
  signal: SignedSignal,
): Promise<SignalResult | RunRecord> {
  const take = signals[signal.name];
  const became = take ? await take(store, run, signal) : NOT_YET;
  if (became === 'dequeued') return await findDequeued(store, run);
  const id = signal.payload.signalId;
  return became === 'taken' ? { id, taken: true, value: null } : { id, taken: false, refusal: became };
}

async function findDequeued({ runs }: Store, { id }: RunRecord): Promise<RunRecord> {
  const run = await runs.find(id);
  if (!run) throw unknownRun(id);
  return run;
}

const NOT_YET: Refusal = { code: 'NOT_ALLOWED_NOW', message: 'The run is queued; it has not begun yet' };
const FULL: Refusal = {
  code: 'BUFFER_FULL',
  message: 'The run is queued, and keeps as many events for its beginning as it may',
};

type TakeSignal = (store: Store, run: RunRecord, signal: SignedSignal) => Promise<'taken' | 'dequeued' | Refusal>;

/** The signals that a queued run takes. */
const signals: Readonly<Record<string, TakeSignal>> = {
  async cancel({ threads }, run, { payload }) {
    const reason = typeof payload['reason'] === 'string' ? payload['reason'] : null;
    const event = { type: 'run.canceled', at: new Date().toISOString(), by: payload.by.sub, reason } as const;
    return (await threads.cancelQueued(run, closingBatch(run, event))) ? 'taken' : 'dequeued';
  },
  async event({ threads }, { id }, { name, payload }) {
    const queued = await threads.queueSignal(id, { name, payload });
    return queued === 'full' ? FULL : queued;
  },
};
