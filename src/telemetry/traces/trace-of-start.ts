import { TraceFlags, trace } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';
import type { TracedRun } from '../../graph/journal/index.ts';
import { HOLDFAST } from './names.ts';
import { isTracing } from './run-tracer.ts';
import { toTraceparent } from './traceparent.ts';

interface StartedRun {
  readonly id: string;
  readonly tenantId: string;
  readonly graph: string;
  readonly threadId: string | null;
}

/**
 * Decides whether a new run is traced: it follows the sampling of its request. A run without a request, such as that of
 * a schedule, gets a root span of its own.
 * @returns `null` for a run that is not traced
 */
export function traceOfStart(run: StartedRun): TracedRun | null {
  if (!isTracing()) return null;
  const asked = trace.getActiveSpan()?.spanContext() ?? spanOfStart(run);
  if ((asked.traceFlags & TraceFlags.SAMPLED) === 0) return null;
  return { parent: toTraceparent(asked), graph: run.graph, threadId: run.threadId };
}

function spanOfStart({ id, tenantId, graph }: StartedRun): SpanContext {
  const attributes = { [HOLDFAST.run]: id, [HOLDFAST.tenant]: tenantId };
  const span = trace.getTracer('holdfast').startSpan(`holdfast.start ${graph}`, { attributes });
  span.end();
  return span.spanContext();
}
