import { CallError, NOT_MADE, REFUSED, TRY_AGAIN, UNCLEAR } from '../activities/calls/call-error.ts';
import { judgeAttempt, judgeCanceledAttempt, withUsedBefore } from '../activities/calls/judge-attempt.ts';
import type { AttemptToJudge } from '../activities/calls/judge-attempt.ts';
import type { CallTask } from '../activities/calls/call-task.ts';
import type { CallSafety } from '../graph/definition/index.ts';
import type { CallEffect, CallReply, OccurrenceBody } from '../graph/run/index.ts';
import type { TaskFailure, TokenUsage } from '../graph/values/index.ts';
import type { SimulatedClock, Timeline } from './timeline.ts';
import { MissingAnswerError } from './decisions.ts';

/** A simulated call, made as a worker would make it but without ledger, time limits and retries. */
export interface FakeCall {
  readonly safety: CallSafety;
  /** @param attempt 1 for the first. @throws CallError */
  execute(attempt: number): Promise<CallReply>;
}

export interface PlayerParts {
  readonly toCall: (task: CallTask) => FakeCall;
  readonly owner: Pick<CallTask, 'runId' | 'tenantId' | 'graph' | 'createdBy'>;
  readonly clock: SimulatedClock;
  readonly timeline: Timeline<OccurrenceBody>;
  /** Called when an attempt begins. */
  readonly onAttempt: (key: string) => void;
}

/** The end of a call, which a later request with the same key also receives. */
interface EndedCall {
  readonly takeover: number;
  readonly end: SimulatedCallEnd;
}

type SimulatedCallEnd = { readonly reply: CallReply; readonly attempts: number } | { readonly failure: TaskFailure };

/**
 * Makes the calls of a run by fakes. Attempts, time limits and cancellations behave as in production, by the test's
 * clock.
 */
export class CallPlayer {
  readonly #parts: PlayerParts;
  readonly #open = new Map<string, SimulatedCall>();
  readonly #ledger = new Map<string, EndedCall>();

  constructor(parts: PlayerParts) {
    this.#parts = parts;
  }

  start(effect: CallEffect): void {
    const { clock, timeline, owner, toCall } = this.#parts;
    const { key, takeover } = effect;
    const earlier = this.#ledger.get(key);
    const isRepeated = earlier !== undefined && takeover > earlier.takeover;
    if (earlier && ('reply' in earlier.end || !isRepeated))
      return void timeline.plan(clock.now, async () => [toCallOccurrence(key, earlier.end, 0)]);
    const call: SimulatedCall = {
      effect,
      call: toCall({ ...effect, ...owner, journal: null }),
      since: clock.now,
      failures: 0,
      mayBeDone: earlier !== undefined && 'failure' in earlier.end && !earlier.end.failure.callFailed,
      usedBefore: null,
      isMade: false,
      cancelPlan: () => undefined,
    };
    this.#open.set(key, call);
    return this.#planAttempt(call, 0);
  }

  /** Cancels one call, or all. */
  cancel(key?: string): void {
    for (const call of this.#open.values()) if (key === undefined || call.effect.key === key) this.#cancel(call);
  }

  #planAttempt(call: SimulatedCall, delayMs: number): void {
    const { clock, timeline, onAttempt } = this.#parts;
    call.cancelPlan = timeline.plan(clock.now + delayMs, async () => {
      onAttempt(call.effect.key);
      const made = await makeFakeAttempt(call, clock);
      call.isMade = true;
      call.cancelPlan = timeline.plan(clock.now + made.tookMs, async () => this.#endAttempt(call, made));
      return [];
    });
  }

  #endAttempt(call: SimulatedCall, made: SimulatedAttempt): readonly OccurrenceBody[] {
    call.isMade = false;
    if ('reply' in made) {
      const reply = withUsedBefore(made.reply, call.usedBefore);
      return this.#end(call, { reply, attempts: call.failures + 1 });
    }
    const { now } = this.#parts.clock;
    const verdict = judgeAttempt(toSimulatedFailure(call, now, made.isExpired), made.thrown);
    const { failures, failure } = verdict;
    Object.assign(call, { failures, mayBeDone: !failure.callFailed, usedBefore: failure.usage ?? null });
    if (verdict.status !== 'retrying') return this.#end(call, { failure });
    this.#planAttempt(call, verdict.delayMs);
    return [];
  }

  #cancel(call: SimulatedCall): void {
    const { clock, timeline } = this.#parts;
    // The result of such a call is needed for its compensation.
    if (call.isMade && call.effect.isCompensable) return;
    call.cancelPlan();
    const { failure } = call.isMade
      ? judgeAttempt(toCanceledAttempt(call), CANCELED_ERROR)
      : judgeCanceledAttempt(toCanceledAttempt(call), NOT_MADE);
    call.cancelPlan = timeline.plan(clock.now, async () => this.#end(call, { failure }));
  }

  #end(call: SimulatedCall, end: SimulatedCallEnd): readonly OccurrenceBody[] {
    const { key, takeover } = call.effect;
    this.#open.delete(key);
    this.#ledger.set(key, { takeover, end });
    return [toCallOccurrence(key, end, this.#parts.clock.now - call.since)];
  }
}

function toCallOccurrence(key: string, end: SimulatedCallEnd, durationMs: number): OccurrenceBody {
  return 'reply' in end
    ? { kind: 'call.completed', key, durationMs, ...end }
    : { kind: 'call.failed', key, failure: end.failure };
}

const CANCELED_ERROR = new CallError('CANCELED', 'The call was canceled', UNCLEAR);

/** A call of the run that has not ended. Times are milliseconds since the epoch. */
export interface SimulatedCall {
  readonly effect: CallEffect;
  readonly call: FakeCall;
  readonly since: number;
  failures: number;
  /** True if an earlier attempt may have executed the call. */
  mayBeDone: boolean;
  /** The tokens that earlier attempts of a model call have used. */
  usedBefore: TokenUsage | null;
  /** True while an attempt is running. */
  isMade: boolean;
  /** Cancels what is planned for the call. */
  cancelPlan: () => void;
}

/** An attempt whose outcome is computed before its simulated time. */
export type SimulatedAttempt = { readonly tookMs: number } & (
  | { readonly reply: CallReply }
  /** @param isExpired true if the deadline of all attempts had passed before this one began */
  | { readonly thrown: unknown; readonly isExpired: boolean }
);

/**
 * Makes an attempt of a call by its fake, within the time limits of its policy.
 * @throws MissingAnswerError
 */
async function makeFakeAttempt(
  { effect, call, since, failures }: SimulatedCall,
  clock: SimulatedClock,
): Promise<SimulatedAttempt> {
  const { timeoutMs } = effect.request.policy;
  const leftMs = deadlineOfCall({ effect, since }) - clock.now;
  if (leftMs <= 0) return { tookMs: 0, thrown: EXPIRED, isExpired: true };
  const limitMs = Math.min(timeoutMs, leftMs);
  const made = await executeFake(call, failures + 1, clock);
  if (clock.delayMs <= limitMs) return { tookMs: clock.delayMs, ...made };
  const which = limitMs < timeoutMs ? 'the deadline for all attempts' : `its time-out of ${timeoutMs} ms`;
  const thrown = new CallError('TIMEOUT', `The call took longer than ${which}`, TRY_AGAIN);
  return { tookMs: limitMs, thrown, isExpired: false };
}

const EXPIRED = new CallError('TIMEOUT', 'The deadline for all attempts is over', REFUSED);

async function executeFake(call: FakeCall, attempt: number, clock: SimulatedClock) {
  clock.delayMs = 0;
  try {
    return { reply: await call.execute(attempt) };
  } catch (thrown) {
    if (clock.missing) throw clock.missing;
    if (thrown instanceof MissingAnswerError) throw thrown;
    return { thrown, isExpired: false };
  }
}

/** Returns the facts for judging a failed attempt. */
function toSimulatedFailure(open: SimulatedCall, now: number, isExpired: boolean): AttemptToJudge {
  return {
    ...attemptFacts(open),
    limit: { isCanceled: () => false, isExpired, allows: (delayMs) => now + delayMs < deadlineOfCall(open) },
    isCancelRequested: false,
  };
}

/** Returns the facts for judging a canceled attempt. */
function toCanceledAttempt(open: SimulatedCall): AttemptToJudge {
  const limit = { isCanceled: () => true, isExpired: false, allows: () => false };
  return { ...attemptFacts(open), limit, isCancelRequested: true };
}

function attemptFacts({ effect, call, failures, mayBeDone, usedBefore }: SimulatedCall) {
  return { task: effect, safety: call.safety, failures, mayBeDone, usedBefore, jitter: 0.5 };
}

function deadlineOfCall({ effect, since }: Pick<SimulatedCall, 'effect' | 'since'>): number {
  return since + (effect.request.policy.deadlineMs ?? Number.POSITIVE_INFINITY);
}
