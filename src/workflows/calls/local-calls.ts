import type { LocalOutcome } from '../../activities/calls/call-task.ts';
import { MAX_INLINE_BYTES } from '../../graph/values/index.ts';
import { takeWaiting } from './waiting-calls.ts';
import type { WaitingCall } from './waiting-calls.ts';

/**
 * Makes local calls in bursts. While they are made, their workflow task stays open: the server gets no command of the
 * run, such as another call or the journal, and the run gets no signal. So a burst ends after a time.
 *
 * A burst has rounds of calls that are open together. Their ends are taken when all have ended, in the order in which they
 * began: a replay tells of all at once, and not in the order in which they came.
 */
export interface LocalCalls<T extends WaitingCall> {
  /** Begins a call in this burst or in a later one; the order is kept. */
  schedule(call: T): void;
  /** A call has ended. */
  ended(call: T, end: KnownEnd): void;
  /** An activity has been asked for: it should not wait for calls that come after those which are open. */
  othersWait(): void;
  /** The server has said something, so another workflow task has begun. */
  enterTask(): void;
  /** True while calls are open or wait. */
  isBusy(): boolean;
  /** Cancels all waiting calls, or the one with this key. @returns the canceled ones */
  cancel(key?: string): readonly T[];
}

/** The end of a local call, before it is taken. */
export interface KnownEnd {
  /** `null`: the activity was not made to its end. */
  readonly outcome: LocalOutcome | null;
  /** Is done when the round is over. */
  readonly take: () => void;
}

interface LocalCallsDeps<T extends WaitingCall> {
  readonly start: (call: T) => void;
  /** Has the workflow task end, and calls `resume` in a later one. */
  readonly pause: (resume: () => void) => void;
}

/** By the worker's clock: the workflow's own stands still between two calls. */
const BURST_MS = 1_000;
/** The server takes 4 MiB in one request, in which other calls have as much (`throttle-calls.ts`). */
const MAX_BURST_BYTES = 1_250_000;
/** Bytes of a call besides its result. */
const MARKER_BYTES = 1_000;
const MAX_MARKER_BYTES = MARKER_BYTES + MAX_INLINE_BYTES;

export function createLocalCalls<T extends WaitingCall>({ start, pause }: LocalCallsDeps<T>): LocalCalls<T> {
  const waiting: T[] = [];
  /** The calls of the round in their order, with the ends that are known. */
  const round = new Map<T, KnownEnd | null>();
  let isPausing = false;
  let burst = NEW_BURST;
  const mayStart = (): boolean => {
    const { span, bytes, doOthersWait } = burst;
    if (isPausing || bytes + (round.size + 1) * MAX_MARKER_BYTES > MAX_BURST_BYTES) return false;
    return span === null || (!doOthersWait && span.endedAt - span.startedAt < BURST_MS);
  };
  const resume = (): void => {
    isPausing = false;
    burst = NEW_BURST;
    startWaiting();
  };
  const startWaiting = (): void => {
    for (let next = waiting[0]; next && mayStart(); next = waiting[0]) {
      waiting.shift();
      round.set(next, null);
      start(next);
    }
    if (waiting.length === 0 || round.size > 0 || isPausing) return;
    isPausing = true;
    pause(resume);
  };
  return {
    schedule(call) {
      waiting.push(call);
      startWaiting();
    },
    ended(call, end) {
      round.set(call, end);
      const ends = [...round.values()].filter((one) => one !== null);
      if (ends.length < round.size) return;
      round.clear();
      for (const { outcome } of ends) burst = addToBurst(burst, outcome);
      for (const { take } of ends) take();
      startWaiting();
    },
    othersWait: () => void (burst = { ...burst, doOthersWait: true }),
    enterTask: () => void (burst = NEW_BURST),
    isBusy: () => round.size > 0 || waiting.length > 0,
    cancel: (key) => takeWaiting(waiting, key),
  };
}

/** The local calls of one workflow task that have ended. */
interface Burst {
  /** `null`: there is none yet. */
  readonly span: Pick<LocalOutcome, 'startedAt' | 'endedAt'> | null;
  /** Of their markers. */
  readonly bytes: number;
  /** The server has not been told yet of another call of the run. */
  readonly doOthersWait: boolean;
}

const NEW_BURST: Burst = { span: null, bytes: 0, doOthersWait: false };

function addToBurst({ span, bytes, doOthersWait }: Burst, outcome: LocalOutcome | null): Burst {
  return {
    span: outcome ? joined(span ?? outcome, outcome) : span,
    bytes: bytes + MARKER_BYTES + Math.min(bytesOf(outcome), MAX_INLINE_BYTES),
    doOthersWait,
  };
}

function bytesOf(outcome: LocalOutcome | null): number {
  return outcome?.kind === 'made' ? outcome.bytes : JSON.stringify(outcome).length;
}

type Span = NonNullable<Burst['span']>;

function joined(a: Span, b: Span): Span {
  return { startedAt: Math.min(a.startedAt, b.startedAt), endedAt: Math.max(a.endedAt, b.endedAt) };
}
