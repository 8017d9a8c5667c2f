import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { measure } from '../../telemetry/metrics/meter.ts';
import type { ApiEnv } from '../deps.ts';
import { shownMethod } from './shown-method.ts';

/**
 * Middleware: measures each request (OpenTelemetry, semantic conventions of HTTP servers). Paths that are no routes share
 * a series, and unknown methods, because strangers choose them.
 */
export function measured() {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const start = performance.now();
    await next();
    const route = routePath(c, -1);
    measure('http.server.request.duration', (performance.now() - start) / 1_000, {
      'http.request.method': shownMethod(c.req.method),
      'http.response.status_code': c.res.status,
      'http.route': route.includes('*') ? undefined : route,
    });
  });
}
