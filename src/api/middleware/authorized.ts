import { createMiddleware } from 'hono/factory';
import type { Permission } from '../../graph/definition/index.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { requirePermission } from '../http/authenticate.ts';

/**
 * Middleware: accepts a request whose caller has one of the permissions. It also provides `recordIntent`, with which a
 * deletion is recorded in the audit log, because every route uses this middleware and only it knows the caller.
 */
export function authorized({ authenticate }: Pick<ApiDeps, 'authenticate'>, ...anyOf: readonly Permission[]) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const caller = await authenticate(c.req.header('authorization'));
    requirePermission(caller, ...anyOf);
    c.set('caller', caller);
    await c.get('recordIntent')?.();
    await next();
  });
}
