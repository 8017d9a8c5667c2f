import { createMiddleware } from 'hono/factory';
import type { ApiDeps, ApiEnv } from '../environment.ts';
import { ApiError } from '../errors.ts';
import type { Permission } from '../permissions.ts';

/** Lets a request through whose token grants one of the permissions. */
export function authorized({ authenticate }: Pick<ApiDeps, 'authenticate'>, ...anyOf: readonly Permission[]) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const caller = await authenticate(c.req.header('authorization'));
    if (!anyOf.some((permission) => caller.permissions.has(permission))) {
      throw new ApiError(
        'FORBIDDEN',
        `This needs the permission ${anyOf.join(' or ')}; the token's roles (${caller.roles.join(', ') || 'none'}) do not grant it`,
      );
    }
    c.set('caller', caller);
    await next();
  });
}
