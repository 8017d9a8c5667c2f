import { toMs } from '../values/duration.ts';
import type { RetryDefinition } from './definition.ts';

/** How a call to a model, tool or function is tried and tried again. Times are milliseconds. */
export interface CallPolicy {
  readonly timeoutMs: number;
  /** For all attempts together; `null`: as long as the attempts take. */
  readonly deadlineMs: number | null;
  readonly heartbeatMs: number;
  readonly retry: RetryPolicy;
}

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly initialMs: number;
  readonly coefficient: number;
  readonly maxMs: number;
  /** Codes that end the attempts at once. */
  readonly nonRetryable: readonly string[];
}

/** One place that may say how calls are tried; what it leaves open, the next place says. */
export interface CallSettings {
  readonly timeout?: string | undefined;
  readonly retry?: RetryDefinition | undefined;
}

/** A retry policy that leaves nothing open. */
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
 * Puts a policy together field by field: what the first place says wins over the second, and so on down to the base.
 * @param deadline of the node
 */
export function toCallPolicy(
  places: readonly CallSettings[],
  base: BaseSettings,
  deadline: string | undefined,
): CallPolicy {
  const retries = places.map(({ retry }) => retry);
  return {
    timeoutMs: toMs(
      first(
        places.map(({ timeout }) => timeout),
        base.timeout,
      ),
    ),
    deadlineMs: deadline === undefined ? null : toMs(deadline),
    heartbeatMs: toMs(base.heartbeatTimeout),
    retry: {
      maxAttempts: first(
        retries.map((retry) => retry?.maxAttempts),
        base.retry.maxAttempts,
      ),
      initialMs: toMs(
        first(
          retries.map((retry) => retry?.initialInterval),
          base.retry.initialInterval,
        ),
      ),
      coefficient: first(
        retries.map((retry) => retry?.backoffCoefficient),
        base.retry.backoffCoefficient,
      ),
      maxMs: toMs(
        first(
          retries.map((retry) => retry?.maxInterval),
          base.retry.maxInterval,
        ),
      ),
      nonRetryable: first(
        retries.map((retry) => retry?.nonRetryable),
        base.retry.nonRetryable,
      ),
    },
  };
}

function first<T>(values: readonly (T | undefined)[], fallback: T): T {
  return values.find((value) => value !== undefined) ?? fallback;
}

/** A policy whose attempts have no more time than is left, in milliseconds; `null`: as much as they had. */
export function within(policy: CallPolicy, leftMs: number | null): CallPolicy {
  if (leftMs === null) return policy;
  return { ...policy, deadlineMs: Math.min(leftMs, policy.deadlineMs ?? leftMs) };
}
