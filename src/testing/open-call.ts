import { CallError } from '../activities/calls/call-error.ts';
import type { AttemptToJudge } from '../activities/calls/judge-attempt.ts';
import type { CallEffect, CallReply } from '../graph/run/index.ts';
import type { TokenUsage } from '../graph/values/index.ts';
import type { FakeCall } from './fake-calls.ts';
import { MissingAnswerError } from './missing-answer-error.ts';
import type { Pace } from './pace.ts';

/** A call of the run that has not ended. Times are milliseconds since the epoch. */
export interface OpenCall {
  readonly effect: CallEffect;
  readonly call: FakeCall;
  readonly since: number;
  failures: number;
  /** An earlier attempt may have made the call. */
  mayBeDone: boolean;
  /** What earlier attempts have used of a model. */
  usedBefore: TokenUsage | null;
  /** An attempt is under way. */
  isMade: boolean;
  /** Takes back what is planned for the call. */
  takeBack: () => void;
}

/** An attempt whose end is known before its time. */
export type Attempt = { readonly tookMs: number } & (
  | { readonly reply: CallReply }
  /** @param isExpired the deadline of all attempts had passed before this one began */
  | { readonly thrown: unknown; readonly isExpired: boolean }
);

/**
 * Makes an attempt of a call by its fake, within the time limits of its policy.
 * @throws MissingAnswerError
 */
export async function makeAttempt({ effect, call, since, failures }: OpenCall, pace: Pace): Promise<Attempt> {
  const { timeoutMs } = effect.request.policy;
  const leftMs = deadlineOf({ effect, since }) - pace.now;
  if (leftMs <= 0) return { tookMs: 0, thrown: EXPIRED, isExpired: true };
  const limitMs = Math.min(timeoutMs, leftMs);
  const made = await execute(call, failures + 1, pace);
  if (pace.delayMs <= limitMs) return { tookMs: pace.delayMs, ...made };
  const which = limitMs < timeoutMs ? `the deadline for all attempts` : `its time-out of ${timeoutMs} ms`;
  const thrown = new CallError('TIMEOUT', `The call took longer than ${which}`, { retryable: true, done: 'perhaps' });
  return { tookMs: limitMs, thrown, isExpired: false };
}

const EXPIRED = new CallError('TIMEOUT', 'The deadline for all attempts is over', { retryable: false, done: 'no' });

async function execute(call: FakeCall, attempt: number, pace: Pace) {
  pace.delayMs = 0;
  try {
    return { reply: await call.execute(attempt) };
  } catch (thrown) {
    if (pace.missing) throw pace.missing;
    if (thrown instanceof MissingAnswerError) throw thrown;
    return { thrown, isExpired: false };
  }
}

/** The facts by which a failed attempt is judged. */
export function toFailed(open: OpenCall, { now, isExpired }: { now: number; isExpired: boolean }): AttemptToJudge {
  return {
    ...judged(open),
    limit: { isCanceled: () => false, isExpired, allows: (delayMs) => now + delayMs < deadlineOf(open) },
    isCancelRequested: false,
  };
}

/** The facts by which a canceled attempt is judged. */
export function toCanceled(open: OpenCall): AttemptToJudge {
  const limit = { isCanceled: () => true, isExpired: false, allows: () => false };
  return { ...judged(open), limit, isCancelRequested: true };
}

function judged({ effect, call, failures, mayBeDone, usedBefore }: OpenCall) {
  return { task: effect, safety: call.safety, failures, mayBeDone, usedBefore, jitter: 0.5 };
}

function deadlineOf({ effect, since }: Pick<OpenCall, 'effect' | 'since'>): number {
  return since + (effect.request.policy.deadlineMs ?? Number.POSITIVE_INFINITY);
}
