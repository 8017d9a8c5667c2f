import { createMiddleware } from 'hono/factory';
import type { Permission } from '../../graph/definition/index.ts';
import type { Caller } from '../http/authenticate.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

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

/** @throws ApiError 403 unless the caller has one of the permissions */
export function requirePermission({ permissions, roles }: Caller, ...anyOf: readonly Permission[]): void {
  if (anyOf.some((permission) => permissions.has(permission))) return;
  throw new ApiError(
    'FORBIDDEN',
    `This needs the permission ${anyOf.join(' or ')}; the token's roles (${roles.join(', ') || 'none'}) do not grant it`,
  );
}
