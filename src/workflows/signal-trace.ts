import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers } from '@temporalio/common';
import { TRACE_HEADER } from './contract.ts';

let arriving: string | null = null;

/** The span in which the signal was sent that is arriving in this moment. */
export function traceOfArriving(): string | null {
  return arriving;
}

/** Takes a signal in. What `receive` does at once can ask for the span in which it was sent. */
export function receiveTraced<T>(headers: Headers, receive: () => T): T {
  arriving = readHeader(headers);
  try {
    return receive();
  } finally {
    arriving = null;
  }
}

/** Who may signal may send any header, and none may fail the workflow task. */
function readHeader(headers: Headers): string | null {
  const payload = headers[TRACE_HEADER];
  if (!payload) return null;
  try {
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    return typeof value === 'string' ? value.slice(0, MAX_LENGTH) : null;
  } catch {
    return null;
  }
}

/** Of a `traceparent`, in characters. */
const MAX_LENGTH = 55;
