import { toMs } from '../values/duration.ts';
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
  const retries = sources.map(({ retry }) => retry);
  return {
    timeoutMs: toMs(
      firstDefined(
        sources.map(({ timeout }) => timeout),
        base.timeout,
      ),
    ),
    deadlineMs: deadline === undefined ? null : toMs(deadline),
    heartbeatMs: toMs(base.heartbeatTimeout),
    retry: {
      maxAttempts: firstDefined(
        retries.map((retry) => retry?.maxAttempts),
        base.retry.maxAttempts,
      ),
      initialMs: toMs(
        firstDefined(
          retries.map((retry) => retry?.initialInterval),
          base.retry.initialInterval,
        ),
      ),
      coefficient: firstDefined(
        retries.map((retry) => retry?.backoffCoefficient),
        base.retry.backoffCoefficient,
      ),
      maxMs: toMs(
        firstDefined(
          retries.map((retry) => retry?.maxInterval),
          base.retry.maxInterval,
        ),
      ),
      nonRetryable: firstDefined(
        retries.map((retry) => retry?.nonRetryable),
        base.retry.nonRetryable,
      ),
    },
  };
}

function firstDefined<T>(values: readonly (T | undefined)[], fallback: T): T {
  return values.find((value) => value !== undefined) ?? fallback;
}

/** Returns the policy with its deadline cut to the time left, in milliseconds; `null` changes nothing. */
export function capDeadline(policy: CallPolicy, leftMs: number | null): CallPolicy {
  if (leftMs === null) return policy;
  return { ...policy, deadlineMs: Math.min(leftMs, policy.deadlineMs ?? leftMs) };
}
