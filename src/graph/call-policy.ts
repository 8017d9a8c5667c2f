import type { RetryDefinition } from './definition.ts';
import { parseDuration } from './duration.ts';

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
interface Source {
  readonly timeout?: string;
  readonly retry?: RetryDefinition;
}

interface BaseSource {
  readonly timeout: string;
  readonly retry: Required<RetryDefinition>;
  readonly heartbeatTimeout: string;
}

/**
 * Puts a policy together field by field: what the first source says wins over the second, and so on down to the base.
 * @param deadline of the node
 */
export function toCallPolicy(sources: readonly Source[], base: BaseSource, deadline: string | undefined): CallPolicy {
  const retry: Required<RetryDefinition> = Object.assign({}, base.retry, ...sources.map((source) => source.retry ?? {}).toReversed());
  const timeout = sources.find((source) => source.timeout !== undefined)?.timeout ?? base.timeout;
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

/** @throws TypeError for text that validation should have refused */
export function toMs(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === null) throw new TypeError(`"${duration}" is no duration`);
  return ms;
}
