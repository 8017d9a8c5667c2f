import { createMiddleware } from 'hono/factory';
import type { Permission } from '../../graph/definition/index.ts';
import type { StreamTicket } from '../../store/streams/stream-tickets.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { authorized } from './authorized.ts';

/**
 * Middleware of a stream of a run: a request passes by a ticket for that run, which it uses up, or as by `authorized`.
 * HEAD uses no ticket up, and so needs a token.
 */
export function ticketed(deps: Pick<ApiDeps, 'authenticate' | 'store'>) {
  const byToken = authorized(deps, 'run:read');
  return createMiddleware<ApiEnv>(async (c, next) => {
    const ticket = c.req.query('ticket');
    if (ticket === undefined || c.req.method === 'HEAD') return await byToken(c, next);
    const redeemed = await deps.store.streamTickets.redeem(ticket, c.req.param('id') ?? '');
    if (!redeemed)
      throw new ApiError('UNAUTHENTICATED', 'The ticket is used, expired, or not for this run; ask for another one');
    c.set('caller', toCaller(redeemed));
    c.set('resumeAfter', redeemed.after);
    await next();
    return undefined;
  });
}

/** The holder of a ticket reads one run, as the person could who asked for it. */
function toCaller({ tenantId, sub, seesPayloads, tokenExpiresAtMs }: StreamTicket): Caller {
  const permissions: readonly Permission[] = seesPayloads ? ['run:read', 'payload:read'] : ['run:read'];
  return {
    tenantId,
    sub,
    roles: [],
    permissions: new Set(permissions),
    ...(tokenExpiresAtMs !== null && { expiresAtMs: tokenExpiresAtMs }),
  };
}
