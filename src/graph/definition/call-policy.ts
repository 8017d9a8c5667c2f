import { toMs, parseDuration } from '../values/time.ts';
import type { RetryDefinition } from './common-fields.ts';

/** The attempts of a call to a model, tool or function. Times are milliseconds. */
export interface CallPolicy {
  readonly timeoutMs: number;
  /** For all attempts together; `null` if there is no deadline. */
  readonly deadlineMs: number | null;
  readonly heartbeatMs: number;
  readonly retry: RetryPolicy;
}

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly initialMs: number;
  readonly coefficient: number;
  readonly maxMs: number;
  /** Error codes after which there are no more attempts. */
  readonly nonRetryable: readonly string[];
}

/** The call settings of one source. A later source sets the fields that are missing. */
export interface CallSettings {
  readonly timeout?: string | undefined;
  readonly retry?: RetryDefinition | undefined;
}

/** A retry policy in which every field is set. */
export interface DefaultRetry {
  readonly maxAttempts: number;
  readonly initialInterval: string;
  readonly backoffCoefficient: number;
  readonly maxInterval: string;
  readonly nonRetryable: readonly string[];
}

interface BaseSettings {
  readonly timeout: string;
  readonly retry: DefaultRetry;
  readonly heartbeatTimeout: string;
}

/**
 * Merges settings into a policy, field by field. The first source that sets a field wins; the base comes last.
 * @param deadline of the node
 */
export function toCallPolicy(
  sources: readonly CallSettings[],
  base: BaseSettings,
  deadline: string | undefined,
): CallPolicy {
  const timeout = sources.find((source) => source.timeout !== undefined)?.timeout ?? base.timeout;
  const retry: DefaultRetry = Object.assign({ ...base.retry }, ...sources.toReversed().map(setFields));
  return {
    timeoutMs: toMs(timeout),
    deadlineMs: deadline === undefined ? null : toMs(deadline),
    heartbeatMs: toMs(base.heartbeatTimeout),
    retry: {
      maxAttempts: retry.maxAttempts,
      initialMs: toMs(retry.initialInterval),
      coefficient: retry.backoffCoefficient,
      maxMs: toMs(retry.maxInterval),
      nonRetryable: retry.nonRetryable,
    },
  };
}

function setFields({ retry = {} }: CallSettings): Partial<DefaultRetry> {
  return Object.fromEntries(Object.entries(retry).filter(([, value]) => value !== undefined));
}

/** Returns the policy with its deadline cut to the time left, in milliseconds; `null` changes nothing. */
export function capDeadline(policy: CallPolicy, leftMs: number | null): CallPolicy {
  if (leftMs === null) return policy;
  return { ...policy, deadlineMs: Math.min(leftMs, policy.deadlineMs ?? leftMs) };
}

/** The least strict first. */
export const CALL_SAFETIES = ['idempotent', 'keyed', 'unsafe'] as const;

/** Decides if a call may be repeated after a crash between its claim and its record (docs/guarantees.md). */
export type CallSafety = (typeof CALL_SAFETIES)[number];

/** Where a call runs: in an activity, or in the worker of the workflow task itself. */
export const EXECUTIONS = ['activity', 'local'] as const;

export type Execution = (typeof EXECUTIONS)[number];

/** The longest attempt of a local call, in milliseconds: it holds up its run's workflow task. */
const MAX_LOCAL_MS = 10_000;

/**
 * The time, in milliseconds, after which an activity takes over a local call. While a local call runs, its workflow
 * task is open: the server receives no command from the run, and the run receives no signal.
 */
export const LOCAL_LIMIT_MS = 2_000;

/** Which calls may be local: those that are safe to repeat after a crash, and short. */
export const LOCAL_CALLS = 'effect "idempotent" and a timeout of at most 10s';

/** True if a call of this safety and time limit may be local. @param timeout a duration; absent if unknown */
export function mayBeLocal(effect: CallSafety | undefined, timeout: string | undefined): boolean {
  const timeoutMs = timeout === undefined ? null : parseDuration(timeout);
  return timeoutMs !== null && isShortAndIdempotent(effect, timeoutMs);
}

/** True if a call of this safety and time limit, in milliseconds, may be local. */
export function isShortAndIdempotent(effect: CallSafety | undefined, timeoutMs: number): boolean {
  return effect === 'idempotent' && timeoutMs <= MAX_LOCAL_MS;
}
