import { MAX_INLINE_BYTES, remainingBytes } from '../graph/values/index.ts';
import type { CallRequest } from '../graph/run/index.ts';

/** The room for calls in the request that ends a workflow task: the server never takes a task with too many bytes. */
export interface RequestRoom {
  fits(request: CallRequest): boolean;
  /** Takes the room of a call that begins. */
  take(request: CallRequest): void;
}

/**
 * In bytes. The server takes 4 MiB; the markers of local calls have as much (`local-bursts.ts`), the journal's batch and the
 * details for the Web UI need the rest.
 */
const MAX_TASK_BYTES = 1_250_000;
/** Bytes of a call besides its request. */
const CALL_BYTES = 1_000;
const MAX_CALL_BYTES = CALL_BYTES + MAX_INLINE_BYTES;

/** @param historyLength returns the length of the history in events, which grows with each workflow task */
export function createRequestRoom(historyLength: () => number): RequestRoom {
  let currentTask = -1;
  let remaining = 0;
  /** Calls of this workflow task. They are measured only when space runs short. */
  let unmeasured: CallRequest[] = [];
  const enterTask = (): void => {
    if (historyLength() === currentTask) return;
    currentTask = historyLength();
    remaining = MAX_TASK_BYTES;
    unmeasured = [];
  };
  return {
    fits(request) {
      enterTask();
      if ((unmeasured.length + 1) * MAX_CALL_BYTES <= remaining) return true;
      for (const earlier of unmeasured.splice(0)) remaining -= bytesOfCall(earlier);
      return bytesOfCall(request) <= remaining;
    },
    take: (request) => void unmeasured.push(request),
  };
}

/** Measures the JSON text, in which escapes take more bytes than in the value. */
function bytesOfCall(request: CallRequest): number {
  const remaining = remainingBytes(MAX_INLINE_BYTES, JSON.stringify(request));
  return CALL_BYTES + (remaining < 0 ? 0 : MAX_INLINE_BYTES - remaining);
}
