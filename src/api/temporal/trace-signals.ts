import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { traceHeaders } from '../../telemetry/traces/traceparent.ts';
import { TRACE_HEADER } from '../../workflows/contract.ts';

/** Has signals tell in which span they are sent. */
export const traceSignals: WorkflowClientInterceptor = {
  async signal(input, next) {
    const { traceparent } = traceHeaders();
    if (traceparent === undefined) return await next(input);
    const headers = { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(traceparent) };
    return await next({ ...input, headers });
  },
};
