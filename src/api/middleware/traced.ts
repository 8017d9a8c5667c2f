import { ROOT_CONTEXT, SpanKind, context, trace } from '@opentelemetry/api';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { GENERAL, HOLDFAST } from '../../telemetry/traces/names.ts';
import { isTracing } from '../../telemetry/traces/run-tracer.ts';
import { markFailed } from '../../telemetry/traces/mark-failed.ts';
import { readTraceparent } from '../../telemetry/traces/traceparent.ts';
import type { ApiEnv } from '../deps.ts';
import { shownMethod } from './shown-method.ts';

/** Probes, metrics and pages are asked for all the time, and say nothing. */
const TRACED = '/api/';

/** The id of a run, which the answer to a request for one has in its `Location`. */
const OF_RUN = /^\/api\/runs\/([0-9A-Z]{26})\b/;

/**
 * Middleware: a span for each request (OpenTelemetry, semantic conventions of HTTP servers). It goes on with the trace
 * of the caller. Neither paths nor queries are told, as strangers choose them.
 */
export function traced() {
  return createMiddleware<ApiEnv>(async (c, next) => {
    if (!isTracing() || !c.req.path.startsWith(TRACED)) return await next();
    const method = shownMethod(c.req.method);
    const caller = readTraceparent(c.req.header('traceparent'));
    const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT;
    const options = { kind: SpanKind.SERVER, attributes: { [GENERAL.method]: method } };
    const span = trace.getTracer('holdfast').startSpan(method, options, parent);
    await context.with(trace.setSpan(parent, span), next);
    const route = routePath(c, -1);
    const { status } = c.res;
    if (!route.includes('*')) span.updateName(`${method} ${route}`).setAttribute(GENERAL.route, route);
    const runId = status < 400 && runIdIn(c.res.headers.get('location') ?? c.req.path);
    span.setAttributes({
      [GENERAL.status]: status,
      ...(c.get('caller') && { [HOLDFAST.tenant]: c.get('caller').tenantId }),
      ...(runId && { [HOLDFAST.run]: runId }),
    });
    if (status >= 500) markFailed(span, String(status));
    span.end();
    return undefined;
  });
}

function runIdIn(path: string): string | undefined {
  return OF_RUN.exec(path)?.[1];
}
