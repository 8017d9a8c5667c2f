import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers } from '@temporalio/common';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { TRACE_HEADER } from './contract.ts';

/** Signals with a reserved name are dropped: they have no meaning here, and would fail the workflow task of the run. */
const RESERVED_PREFIX = '__temporal_';

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [{ handleSignal: async (input, next) => await receiveTraced(input.headers, () => next(input)) }],
  internals: [
    {
      activate(input, next) {
        const { jobs } = input.activation;
        input.activation.jobs =
          jobs?.filter(({ signalWorkflow }) => !signalWorkflow?.signalName?.startsWith(RESERVED_PREFIX)) ?? [];
        next(input);
      },
    },
  ],
});

let arrivingTrace: string | null = null;

/** Returns the span in which the signal that is being received was sent; `null` if unknown. */
export function traceOfArriving(): string | null {
  return arrivingTrace;
}

/** Receives a signal. During `receive`, `traceOfArriving` returns the span in which the signal was sent. */
export function receiveTraced<T>(headers: Headers, receive: () => T): T {
  arrivingTrace = readTraceHeader(headers);
  try {
    return receive();
  } finally {
    arrivingTrace = null;
  }
}

/** A sender may set any header, so an invalid one must not fail the workflow task. */
function readTraceHeader(headers: Headers): string | null {
  const payload = headers[TRACE_HEADER];
  if (!payload) return null;
  try {
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    return typeof value === 'string' ? value.slice(0, TRACEPARENT_LENGTH) : null;
  } catch {
    return null;
  }
}

/** The length of a `traceparent`, in characters. */
const TRACEPARENT_LENGTH = 55;
