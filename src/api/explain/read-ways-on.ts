import { readRun } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Facts, OnlyForked } from './facts.ts';
import { soundCheckpoint } from '../states/sound-state.ts';
import { readHeld } from './read-held.ts';

type ReadDeps = Pick<ApiDeps, 'store' | 'graphJobs' | 'logger'>;

/** Reads what keeps a run, or its reader, from going on past a failure. */
export async function readWaysOn(
  deps: ReadDeps,
  caller: Caller,
  run: RunRecord,
): Promise<Pick<Facts, 'onlyForked' | 'heldFromReader'>> {
  const ended = run.status === 'failed' ? await deps.store.endedRuns.find(run.id) : null;
  const state = ended && readRun(ended.state);
  const why = run.status === 'failed' ? whyOnlyForked(state) : null;
  if (why !== null)
    return {
      onlyForked: { why, checkpoint: (await soundCheckpoint(deps.store, run))?.id ?? null },
      heldFromReader: new Set(),
    };
  return { onlyForked: null, heldFromReader: await readHeld(deps, caller, { run, state }) };
}

/** @param state of a failed run; `null`: others have ended it, as its workflow was gone or failed */
function whyOnlyForked(state: ReturnType<typeof readRun> | null): OnlyForked['why'] | null {
  if (!state) return 'stateless';
  return state.compensation.undone ? 'undone' : null;
}
