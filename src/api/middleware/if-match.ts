import { createMiddleware } from 'hono/factory';
import type { ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

/** Middleware: a request passes if its `If-Match` header names something. It comes before the body and the resource. */
export function ifMatch() {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const named = c.req.header('if-match') ?? '';
    if (named.trim() === '')
      throw new ApiError('PRECONDITION_REQUIRED', 'An edit names the state that it corrects: If-Match with its ETag');
    await next();
  });
}
