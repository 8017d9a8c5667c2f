import type { TraceSegment } from '../../../src/telemetry/traces/trace-segment.ts';

/** Builds the first segment of a run that was started by a request. */
export function aTraceSegment(over: Partial<TraceSegment> = {}): TraceSegment {
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  return {
    runId: 'R1',
    tenantId: 'acme',
    segment: '1.1',
    run: { parent, graph: 'refunds', threadId: 't1' },
    ...over,
  };
}
