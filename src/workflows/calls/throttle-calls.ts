import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import type { CallRequest } from '../../graph/run/index.ts';
import { MAX_INLINE_BYTES, remainingBytes } from '../../graph/values/index.ts';
import { takeWaiting } from './waiting-calls.ts';
import type { WaitingCall } from './waiting-calls.ts';

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
    for (const earlier of unmeasured.splice(0)) remaining -= bytesOf(earlier);
    const bytes = bytesOf(request);
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
function bytesOf(request: CallRequest): number {
  const remaining = remainingBytes(MAX_INLINE_BYTES, JSON.stringify(request));
  return CALL_BYTES + (remaining < 0 ? 0 : MAX_INLINE_BYTES - remaining);
}
