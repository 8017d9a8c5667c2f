import { withUndone } from './compensation.ts';
import type { AwaitedPerson, UndoneWork } from './compensation.ts';
import type { EndedPhase, PauseRequest, RunPhase } from './phase.ts';
import type { Run } from './run.ts';

export type RunStatus = 'queued' | 'running' | 'waiting' | 'paused' | EndedStatus;
export type EndedStatus = EndedPhase['kind'];

const STATUSES: Readonly<Record<RunStatus, true>> = {
  queued: true,
  running: true,
  waiting: true,
  paused: true,
  completed: true,
  failed: true,
  canceled: true,
};

export function isRunStatus(value: unknown): value is RunStatus {
  return typeof value === 'string' && Object.hasOwn(STATUSES, value);
}

type Phased = Pick<Run, 'phase'>;

export function isEnded(status: RunStatus): status is EndedStatus {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/** The statuses in which a run takes a control; some controls ask for more. */
export const TAKEN_IN = {
  pause: ['running', 'waiting'],
  resume: ['paused'],
  cancel: ['queued', 'running', 'waiting', 'paused'],
  retry: ['failed', 'waiting'],
  replan: ['waiting', 'paused', 'failed'],
} as const satisfies Readonly<Record<string, readonly RunStatus[]>>;

/** True if a run takes a control, as far as its status tells. */
export function isTakenIn(status: RunStatus, control: keyof typeof TAKEN_IN): boolean {
  const statuses: readonly RunStatus[] = TAKEN_IN[control];
  return statuses.includes(status);
}

/** Returns the API's status. An ending run is `waiting` only while people are asked about a compensation. */
export function statusOf(run: Phased): RunStatus {
  const { kind } = run.phase;
  if (kind === 'failing' || kind === 'canceling') return awaitedPerson(run) ? 'waiting' : 'running';
  return kind === 'closing' ? 'running' : kind;
}

/** Returns the person for whom the compensation of an ending run waits; `null`: nobody. */
export function awaitedPerson({ phase }: Phased): AwaitedPerson | null {
  return phase.kind === 'failing' || phase.kind === 'canceling' ? phase.awaits : null;
}

export function hasEnded({ phase }: Phased): boolean {
  return 'endedAt' in phase;
}

/** True if the run only waits for its calls and its compensation before it ends. */
export function isEnding({ phase: { kind } }: Phased): boolean {
  return kind === 'failing' || kind === 'canceling';
}

interface CompensatedRun extends Phased {
  readonly compensation: Pick<Run['compensation'], 'undone' | 'pending'>;
}

/** Returns what is undone of a run's work, and in an ending one what is about to be; `null`: nothing. */
export function undoneWork(run: CompensatedRun): UndoneWork | null {
  const { undone, pending } = run.compensation;
  return isEnding(run) || isClosing(run) ? withUndone(undone, pending) : undone;
}

/** True while the `onCancel` node of a canceled run is at work. */
export function isClosing({ phase }: Phased): boolean {
  return phase.kind === 'closing';
}

export function isBeingCanceled({ phase: { kind } }: Phased): boolean {
  return kind === 'canceling' || kind === 'closing';
}

export function hasOpenCalls({ calls }: Pick<Run, 'calls'>): boolean {
  return Object.keys(calls).length > 0;
}

/** True if no new work may begin in the run. */
export function standsStill({ phase: { kind } }: Phased): boolean {
  return !AT_WORK.has(kind);
}

/**
 * True if a graph of the run may open another superstep. A canceled run only runs its `onCancel` node; a graph inside that goes
 * on to its own end.
 * @param isInside true for a graph inside a node
 */
export function mayOpenStep({ phase }: Phased, isInside: boolean): boolean {
  if (phase.kind === 'closing') return isInside;
  return phase.kind === 'waiting' || (phase.kind === 'running' && phase.pause === null);
}

/** True if the run may have one more open call; a stopped or ending run may not. */
export function mayOpenCall(run: Pick<Run, 'phase' | 'calls' | 'limits'>): boolean {
  return !standsStill(run) && Object.keys(run.calls).length < run.limits.maxConcurrency;
}

/** Returns the request to stop after the open superstep, if there is one. */
export function pauseRequested({ phase }: Phased): PauseRequest | null {
  return phase.kind === 'running' ? phase.pause : null;
}

const AT_WORK: ReadonlySet<RunPhase['kind']> = new Set(['running', 'waiting', 'closing']);
