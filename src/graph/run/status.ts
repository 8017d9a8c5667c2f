import type { EndedPhase, PauseRequest, RunPhase } from './phase.ts';
import type { Run } from './run.ts';

export type RunStatus = 'queued' | 'running' | 'waiting' | 'paused' | EndedStatus;
export type EndedStatus = EndedPhase['kind'];

type Phased = Pick<Run, 'phase'>;

export function isEnded(status: RunStatus): status is EndedStatus {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/** The status that the API shows. A run that is about to end waits for people only while an outcome is unknown. */
export function statusOf({ phase: { kind }, compensation }: Pick<Run, 'phase' | 'compensation'>): RunStatus {
  if (kind === 'failing' || kind === 'canceling' || kind === 'closing')
    return compensation.unknown ? 'waiting' : 'running';
  return kind;
}

export function hasEnded({ phase }: Phased): boolean {
  return 'endedAt' in phase;
}

/** The run only waits until its calls have come back and what it did is compensated. */
export function isEnding({ phase: { kind } }: Phased): boolean {
  return kind === 'failing' || kind === 'canceling';
}

/** The `onCancel` node of a run that is canceled is at work. */
export function isClosing({ phase }: Phased): boolean {
  return phase.kind === 'closing';
}

export function isBeingCanceled({ phase: { kind } }: Phased): boolean {
  return kind === 'canceling' || kind === 'closing';
}

/** Nothing new may begin in the run. */
export function standsStill({ phase: { kind } }: Phased): boolean {
  return !AT_WORK.has(kind);
}

/** The run may begin another superstep. */
export function mayOpenStep({ phase }: Phased): boolean {
  return phase.kind === 'waiting' || (phase.kind === 'running' && phase.pause === null);
}

/** The wish that the run stops after the superstep that runs, if there is one. */
export function pauseRequested({ phase }: Phased): PauseRequest | null {
  return phase.kind === 'running' ? phase.pause : null;
}

const AT_WORK: ReadonlySet<RunPhase['kind']> = new Set(['running', 'waiting', 'closing']);
