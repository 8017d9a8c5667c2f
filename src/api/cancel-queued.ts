import { NOT_BEGUN } from '../graph/run-view.ts';
import type { RunRecord } from '../store/runs.ts';
import type { ApiDeps } from './environment.ts';

/** Ends a run that waits for its turn on its thread. @returns whether it still did */
export async function cancelQueued(
  { store }: Pick<ApiDeps, 'store'>,
  run: RunRecord,
  { by, reason }: { by: string; reason: string | null },
): Promise<boolean> {
  const at = new Date().toISOString();
  const ended = { seq: 1, at, step: -1, type: 'run.canceled', by, reason } as const;
  return await store.threads.cancelQueued(run, {
    events: [ended],
    checkpoints: [],
    approvals: [],
    signals: [],
    view: { ...NOT_BEGUN, status: 'canceled', endedAt: at },
    closed: null,
  });
}
