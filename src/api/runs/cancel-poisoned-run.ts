import type { SignalResult } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { guiltOf, putRunAside } from './put-run-aside.ts';
import type { SignedSignal } from './signal-queued.ts';

/** Without a culprit, a task that has failed so often takes no cancel any more. */
const FEWEST_FOR_CANCEL = 3;

/**
 * Ends a run that takes no cancel, because its workflow task fails.
 * @returns `null` when that is not why
 * @throws ApiError 503
 */
export async function cancelPoisonedRun(
  deps: Pick<ApiDeps, 'store' | 'engine' | 'logger'>,
  run: RunRecord,
  { payload: { signalId, by, reason } }: SignedSignal,
): Promise<SignalResult | null> {
  const [task, note] = await Promise.all([deps.engine.failingTask(run), deps.store.failingRuns.find(run.id)]);
  if (!task || (guiltOf({ task, note }) === 'none' && task.failures < FEWEST_FOR_CANCEL)) return null;
  const cancel = { signalId, by: by.sub, reason: typeof reason === 'string' ? reason : null };
  await putRunAside(deps, run, { task, note, cancel });
  return { id: signalId, taken: true, value: null };
}
