import type { Run } from 'holdfast/client';

/** What people do with a run as it stands. */
export type Control = 'pause' | 'resume' | 'cancel' | 'retry' | 'skip' | 'fail' | 'replan' | 'edit';

/** The actions that a run takes as it stands (`docs/recovery.md`); the API has the last word. */
export function controlsOf({ status, waitingFor }: Pick<Run, 'status' | 'waitingFor'>): readonly Control[] {
  const intervenes = waitingFor.some(({ kind }) => kind === 'intervention');
  const allowed: readonly (readonly [Control, boolean])[] = [
    ['retry', status === 'failed' || intervenes],
    ['skip', status === 'failed' || intervenes],
    ['fail', intervenes],
    ['resume', status === 'paused'],
    ['pause', status === 'running' || status === 'waiting'],
    ['replan', status === 'waiting' || status === 'paused' || status === 'failed'],
    ['edit', status !== 'running' && status !== 'queued'],
    ['cancel', status !== 'completed' && status !== 'failed' && status !== 'canceled'],
  ];
  return allowed.filter(([, isAllowed]) => isAllowed).map(([control]) => control);
}
