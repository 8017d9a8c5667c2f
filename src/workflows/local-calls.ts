import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import type { LocalOutcome } from '../activities/calls/call-task.ts';
import { MAX_INLINE_BYTES, remainingBytes } from '../graph/values/index.ts';
import type { CallRequest, CallEffect } from '../graph/run/index.ts';

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

/** Spreads calls over workflow tasks, so that the commands of one task fit into one request to the server. */
export interface CallThrottle<T extends WaitingCall> {
  /** Begins a call in this workflow task or in a later one; the order is kept. */
  schedule(call: T): void;
  /** Cancels all waiting calls, or the one with this key. @returns the canceled ones */
  cancel(key?: string): readonly T[];
}

/**
 * In bytes. The server takes 4 MiB; the markers of local calls have as much (`local-calls.ts`), the journal's batch and the
 * details for the Web UI need the rest.
 */
const MAX_TASK_BYTES = 1_250_000;
/** Bytes of a call besides its request. */
const CALL_BYTES = 1_000;
const MAX_CALL_BYTES = CALL_BYTES + MAX_INLINE_BYTES;

export function createCallThrottle<T extends WaitingCall>(startCall: (call: T) => void): CallThrottle<T> {
  const waiting: T[] = [];
  let isSleeping = false;
  let currentTask = -1;
  let remaining = 0;
  /** Calls of this workflow task that fit at any size; they are measured only when space runs short. */
  let unmeasured: CallRequest[] = [];
  const enterTask = (): void => {
    const { historyLength } = workflowInfo();
    if (historyLength === currentTask) return;
    currentTask = historyLength;
    remaining = MAX_TASK_BYTES;
    unmeasured = [];
  };
  const admit = ({ effect: { request } }: T): boolean => {
    enterTask();
    if ((unmeasured.length + 1) * MAX_CALL_BYTES <= remaining) {
      unmeasured.push(request);
      return true;
    }
    for (const earlier of unmeasured.splice(0)) remaining -= bytesOfCall(earlier);
    const bytes = bytesOfCall(request);
    if (bytes > remaining) return false;
    remaining -= bytes;
    return true;
  };
  const startWaiting = (): void => {
    for (let next = waiting[0]; next && admit(next); next = waiting[0]) {
      waiting.shift();
      startCall(next);
    }
    isSleeping = waiting.length > 0;
    if (isSleeping) void CancellationScope.nonCancellable(() => sleep(1)).then(startWaiting);
  };
  return {
    schedule(call) {
      waiting.push(call);
      if (!isSleeping) startWaiting();
    },
    cancel: (key) => takeWaiting(waiting, key),
  };
}

/** Measures the JSON text, in which escapes take more bytes than in the value. */
function bytesOfCall(request: CallRequest): number {
  const remaining = remainingBytes(MAX_INLINE_BYTES, JSON.stringify(request));
  return CALL_BYTES + (remaining < 0 ? 0 : MAX_INLINE_BYTES - remaining);
}

/** A call that waits for its turn. */
export interface WaitingCall {
  readonly effect: CallEffect;
}

/** Takes all waiting calls, or the one with this key, out of their queue. @returns the ones that are out */
function takeWaiting<T extends WaitingCall>(waiting: T[], key?: string): readonly T[] {
  const all = waiting.splice(0);
  waiting.push(...all.filter(({ effect }) => !matchesKey(effect, key)));
  return all.filter(({ effect }) => matchesKey(effect, key));
}

/** True if the call has this key; without a key, true for every call. */
export function matchesKey(call: CallEffect, key: string | undefined): boolean {
  return key === undefined || call.key === key;
}
