import { MAX_INLINE_BYTES, remainingBytes } from '../graph/values/index.ts';
import type { JournalBatch } from '../graph/journal/index.ts';
import type { CallRequest } from '../graph/run/index.ts';

/** The room for calls in the request that ends a workflow task. The server never accepts a task with too many bytes. */
export interface RequestRoom {
  fits(request: CallRequest): boolean;
  /** Reserves room for a call that begins, and for the journal batch that travels with it. */
  take(request: CallRequest, batch: JournalBatch | null): void;
}

/**
 * In bytes. The server accepts 4 MiB. The markers of local calls have as much (`local-bursts.ts`); the journal batch of a
 * separate activity and the details for the Web UI need the rest.
 */
const MAX_TASK_BYTES = 1_250_000;
/** The bytes of a call without its request. */
const CALL_BYTES = 1_000;
const MAX_CALL_BYTES = CALL_BYTES + MAX_INLINE_BYTES;

/** @param historyLength returns the length of the history in events, which grows with each workflow task */
export function createRequestRoom(historyLength: () => number): RequestRoom {
  let currentTask = -1;
  let remaining = 0;
  /** Calls of this workflow task, and their batches. They are measured only when space runs short. */
  let unmeasured: ActivityPayload[] = [];
  let unmeasuredMaximum = 0;
  const enterTask = (): void => {
    if (historyLength() === currentTask) return;
    currentTask = historyLength();
    remaining = MAX_TASK_BYTES;
    unmeasured = [];
    unmeasuredMaximum = 0;
  };
  return {
    fits(request) {
      enterTask();
      if (unmeasuredMaximum + MAX_CALL_BYTES <= remaining) return true;
      for (const payload of unmeasured.splice(0)) remaining -= payloadBytes(payload);
      unmeasuredMaximum = 0;
      return payloadBytes(request) <= remaining;
    },
    take(request, batch) {
      unmeasured.push(request);
      unmeasuredMaximum += MAX_CALL_BYTES;
      if (!batch) return;
      unmeasured.push(batch);
      unmeasuredMaximum += MAX_CALL_BYTES;
    },
  };
}

type ActivityPayload = CallRequest | JournalBatch;

/** Measures the JSON text, in which escapes take more bytes than in the value. */
function payloadBytes(payload: ActivityPayload): number {
  const remaining = remainingBytes(MAX_INLINE_BYTES, JSON.stringify(payload));
  if (remaining >= 0) return CALL_BYTES + MAX_INLINE_BYTES - remaining;
  // A larger request travels by reference. A larger batch is compressed, so it is assumed to have the maximum.
  return 'events' in payload ? MAX_CALL_BYTES : CALL_BYTES;
}
