import { parseDuration } from '../values/duration.ts';

/** The least strict first. */
export const CALL_SAFETIES = ['idempotent', 'keyed', 'unsafe'] as const;

/** Decides if a call may be repeated after a crash between its claim and its record (specification, "Configuration"). */
export type CallSafety = (typeof CALL_SAFETIES)[number];

/** Where a call runs: in an activity, or in the worker of the workflow task itself. */
export const EXECUTIONS = ['activity', 'local'] as const;

export type Execution = (typeof EXECUTIONS)[number];

/** The longest attempt of a local call, in milliseconds: it holds up its run's workflow task. */
const MAX_LOCAL_MS = 10_000;

/**
 * The time, in milliseconds, after which an activity goes on with a local call. While one is made, its workflow task is
 * open: the server gets no command of the run, and the run no signal.
 */
export const LOCAL_LIMIT_MS = 2_000;

/** The only calls that may be local: they may be simply made again after a crash, and are short. */
export const LOCAL_CALLS = 'effect "idempotent" and a timeout of at most 10s';

/** True if a call of this safety and time limit may be local. @param timeout a duration; absent: it is not known */
export function mayBeLocal(effect: CallSafety | undefined, timeout: string | undefined): boolean {
  const timeoutMs = timeout === undefined ? null : parseDuration(timeout);
  return timeoutMs !== null && isShortAndIdempotent(effect, timeoutMs);
}

/** True if a call of this safety and time limit, in milliseconds, may be local. */
export function isShortAndIdempotent(effect: CallSafety | undefined, timeoutMs: number): boolean {
  return effect === 'idempotent' && timeoutMs <= MAX_LOCAL_MS;
}
