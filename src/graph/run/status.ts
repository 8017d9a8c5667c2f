import { addUndoneWork } from './compensation.ts';
import type { AwaitedPerson, UndoneWork } from './compensation.ts';
import type { EndedPhase, PauseRequest, RunPhase } from './phase.ts';
import type { Run } from './run.ts';

export type RunStatus = 'queued' | 'running' | 'waiting' | 'paused' | EndedStatus;
export type EndedStatus = EndedPhase['kind'];

const KNOWN_STATUSES: Readonly<Record<RunStatus, true>> = {
  queued: true,
  running: true,
  waiting: true,
  paused: true,
  completed: true,
  failed: true,
  canceled: true,
};

export function isRunStatus(value: unknown): value is RunStatus {
  return typeof value === 'string' && Object.hasOwn(KNOWN_STATUSES, value);
}

type WithPhase = Pick<Run, 'phase'>;

export function isEnded(status: RunStatus): status is EndedStatus {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/** The statuses in which a run accepts a control. Some controls have further conditions. */
export const TAKEN_IN = {
  pause: ['running', 'waiting'],
  resume: ['paused'],
  cancel: ['queued', 'running', 'waiting', 'paused'],
  retry: ['failed', 'waiting'],
  replan: ['waiting', 'paused', 'failed'],
} as const satisfies Readonly<Record<string, readonly RunStatus[]>>;

/** True if the status of a run allows a control. */
export function isTakenIn(status: RunStatus, control: keyof typeof TAKEN_IN): boolean {
  const statuses: readonly RunStatus[] = TAKEN_IN[control];
  return statuses.includes(status);
}

/** Returns the status for the API. An ending run is `waiting` only while its compensation waits for people. */
export function statusOf(run: WithPhase): RunStatus {
  const { kind } = run.phase;
  if (kind === 'failing' || kind === 'canceling') return awaitedPerson(run) ? 'waiting' : 'running';
  return kind === 'closing' || kind === 'closing-failed' ? 'running' : kind;
}

/** Returns the person for whom the compensation of an ending run waits; `null` for none. */
export function awaitedPerson({ phase }: WithPhase): AwaitedPerson | null {
  return phase.kind === 'failing' || phase.kind === 'canceling' ? phase.awaits : null;
}

export function hasEnded({ phase }: WithPhase): boolean {
  return 'endedAt' in phase;
}

/** True if the run only waits for its calls and its compensation before it ends. */
export function isEnding({ phase: { kind } }: WithPhase): boolean {
  return kind === 'failing' || kind === 'canceling';
}

interface CompensatedRun extends WithPhase {
  readonly compensation: Pick<Run['compensation'], 'undone' | 'pending'>;
}

/** Returns the undone work of a run, including in an ending run what is about to be undone; `null` for none. */
export function undoneWork(run: CompensatedRun): UndoneWork | null {
  const { undone, pending } = run.compensation;
  return isEnding(run) || isClosing(run) ? addUndoneWork(undone, pending) : undone;
}

/** True while the last node of a canceled or failed run is running: its `onCancel` or `onFail`. */
export function isClosing({ phase: { kind } }: WithPhase): boolean {
  return kind === 'closing' || kind === 'closing-failed';
}

export function isBeingCanceled({ phase: { kind } }: WithPhase): boolean {
  return kind === 'canceling' || kind === 'closing';
}

export function hasOpenCalls({ calls }: Pick<Run, 'calls'>): boolean {
  return Object.keys(calls).length > 0;
}

/** True if no new work may begin in the run. */
export function standsStill({ phase: { kind } }: WithPhase): boolean {
  return !AT_WORK.has(kind);
}

/**
 * True if a graph of the run may open another superstep. A run that is closing only runs its last node; a graph inside
 * that node continues to its end.
 * @param isInside true for a graph inside a node
 */
export function mayOpenStep(run: WithPhase, isInside: boolean): boolean {
  const { phase } = run;
  if (isClosing(run)) return isInside;
  return phase.kind === 'waiting' || (phase.kind === 'running' && phase.pause === null);
}

/** True if the run may have one more open call; a stopped or ending run may not. */
export function mayOpenCall(run: Pick<Run, 'phase' | 'calls' | 'limits'>): boolean {
  return !standsStill(run) && Object.keys(run.calls).length < run.limits.maxConcurrency;
}

/** Returns the request to stop after the open superstep, if there is one. */
export function pauseRequested({ phase }: WithPhase): PauseRequest | null {
  return phase.kind === 'running' ? phase.pause : null;
}

const AT_WORK: ReadonlySet<RunPhase['kind']> = new Set(['running', 'waiting', 'closing', 'closing-failed']);
