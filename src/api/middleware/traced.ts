import { ROOT_CONTEXT, SpanKind, context, trace } from '@opentelemetry/api';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { GENERAL, HOLDFAST } from '../../telemetry/traces/names.ts';
import { isTracing } from '../../telemetry/traces/run-tracer.ts';
import { markFailed } from '../../telemetry/traces/in-span.ts';
import { readTraceparent } from '../../telemetry/traces/traceparent.ts';
import type { ApiEnv } from '../deps.ts';
import { measure } from '../../telemetry/metrics/meter.ts';

/** Probes, metrics and pages are requested all the time and are not traced. */
const TRACED = '/api/';

/** Matches the id of a new run in the `Location` header. */
const OF_RUN = /^\/api\/runs\/([0-9A-Z]{26})\b/;

/**
 * Middleware: creates a span for each request (OpenTelemetry, semantic conventions of HTTP servers), which continues
 * the caller's trace. Paths and queries are not recorded, because untrusted clients choose them.
 */
export function traceRequests() {
  return createMiddleware<ApiEnv>(async (c, next) => {
    if (!isTracing() || !c.req.path.startsWith(TRACED)) return await next();
    const method = methodLabel(c.req.method);
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

/**
 * Middleware: measures each request (OpenTelemetry, semantic conventions of HTTP servers). All unknown paths share one
 * series, and so do unknown methods, because untrusted clients choose them.
 */
export function measureRequests() {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const start = performance.now();
    await next();
    const route = routePath(c, -1);
    measure('http.server.request.duration', (performance.now() - start) / 1_000, {
      'http.request.method': methodLabel(c.req.method),
      'http.response.status_code': c.res.status,
      'http.route': route.includes('*') ? undefined : route,
    });
  });
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Returns the method name for metrics and spans (OpenTelemetry); unknown methods become `_OTHER`, because untrusted
 * clients choose them.
 */
function methodLabel(method: string): string {
  return METHODS.has(method) ? method : '_OTHER';
}
