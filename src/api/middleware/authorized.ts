import { createMiddleware } from 'hono/factory';
import type { Permission } from '../../graph/definition/index.ts';
import type { Caller } from '../http/authenticate.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

/**
 * Middleware: a request passes if its caller has one of the permissions. It also has the audit record a deletion
 * (`recordIntent`): every route comes through here, and the entry names the caller, who is known from here on.
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
