import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import type { CallEffect, CallRequest } from '../graph/run/index.ts';
import { remainingBytes } from '../graph/values/index.ts';

interface WaitingCall {
  readonly effect: CallEffect;
}

/** Spreads calls over workflow tasks, so that what one of them schedules fits into one request to the server. */
export interface CallThrottle<T extends WaitingCall> {
  /** Begins a call, now or in a workflow task to come; those that wait keep their order. */
  schedule(call: T): void;
  /** Takes back the calls that wait, or one of them. */
  cancel(key?: string): readonly T[];
}

/** The server takes 4 MiB; the journal's batch and what Temporal shows of the run come on top. */
const MAX_BYTES = 3_000_000;
/** What a call takes besides its request. */
const CALL_BYTES = 1_000;
/** A larger request goes by reference (`data-converter.ts`). */
const MAX_INLINE_BYTES = 65_536;
const MAX_CALL_BYTES = CALL_BYTES + MAX_INLINE_BYTES;

export function createCallThrottle<T extends WaitingCall>(begin: (call: T) => void): CallThrottle<T> {
  const waiting: T[] = [];
  let isSleeping = false;
  let task = -1;
  let left = 0;
  /** Calls of this workflow task that fit whatever they take. */
  let unmeasured: CallRequest[] = [];
  const enterTask = (): void => {
    const { historyLength } = workflowInfo();
    if (historyLength === task) return;
    task = historyLength;
    left = MAX_BYTES;
    unmeasured = [];
  };
  const admit = ({ effect: { request } }: T): boolean => {
    enterTask();
    if ((unmeasured.length + 1) * MAX_CALL_BYTES <= left) {
      unmeasured.push(request);
      return true;
    }
    for (const earlier of unmeasured.splice(0)) left -= bytesOf(earlier);
    const bytes = bytesOf(request);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  const beginWaiting = (): void => {
    for (let next = waiting[0]; next && admit(next); next = waiting[0]) {
      waiting.shift();
      begin(next);
    }
    isSleeping = waiting.length > 0;
    if (isSleeping) void CancellationScope.nonCancellable(() => sleep(1)).then(beginWaiting);
  };
  return {
    schedule(call) {
      waiting.push(call);
      if (!isSleeping) beginWaiting();
    },
    cancel(key) {
      const all = waiting.splice(0);
      waiting.push(...all.filter(({ effect }) => !isMeant(effect, key)));
      return all.filter(({ effect }) => isMeant(effect, key));
    },
  };
}

/** Whether a call is the one of that key; without one, every call is. */
export function isMeant(call: CallEffect, key: string | undefined): boolean {
  return key === undefined || call.key === key;
}

/** Counted in the text that travels: what JSON escapes takes more bytes there than in the value. */
function bytesOf(request: CallRequest): number {
  const left = remainingBytes(MAX_INLINE_BYTES, JSON.stringify(request));
  return CALL_BYTES + (left < 0 ? 0 : MAX_INLINE_BYTES - left);
}
