import { createMiddleware } from 'hono/factory';
import type { Permission } from '../../graph/definition/index.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { requirePermission } from '../http/authenticate.ts';
import type { StreamTicket } from '../../store/stream-tickets.ts';
import type { Caller } from '../http/authenticate.ts';
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

/**
 * The permission that a ticket replaces: its holder may read the run, and the user who requests it needs this
 * permission.
 */
export const TICKET_PERMISSION = 'run:read' satisfies Permission;

/**
 * Middleware of a run's stream: accepts a ticket for that run, or a caller as `authorized` does. The ticket is consumed
 * when the stream begins, so a refused stream does not consume it. HEAD begins no stream and therefore needs a token.
 */
export function ticketed(deps: Pick<ApiDeps, 'authenticate' | 'store'>) {
  const byToken = authorized(deps, TICKET_PERMISSION);
  return createMiddleware<ApiEnv>(async (c, next) => {
    const ticket = c.req.query('ticket');
    if (ticket === undefined || c.req.method === 'HEAD') return await byToken(c, next);
    const { streamTickets } = deps.store;
    const runId = c.req.param('id') ?? '';
    const found = await streamTickets.find(ticket, runId);
    if (!found) throw unusableTicket();
    c.set('caller', toTicketHolder(found));
    c.set('resumeAfter', found.after);
    c.set('useTicket', async () => {
      if (!(await streamTickets.redeem(ticket, runId))) throw unusableTicket();
    });
    await next();
    return undefined;
  });
}

function unusableTicket(): ApiError {
  const message = 'The ticket is used, expired, or not for this run; ask for another one';
  return new ApiError('UNAUTHENTICATED', message, { headers: { 'www-authenticate': 'Bearer' } });
}

/** The holder of a ticket may read one run, with the view of the user who requested the ticket. */
function toTicketHolder({ tenantId, sub, seesPayloads, tokenExpiresAtMs }: StreamTicket): Caller {
  const permissions: readonly Permission[] = seesPayloads ? [TICKET_PERMISSION, 'payload:read'] : [TICKET_PERMISSION];
  return {
    tenantId,
    sub,
    roles: [],
    permissions: new Set(permissions),
    ...(tokenExpiresAtMs !== null && { expiresAtMs: tokenExpiresAtMs }),
  };
}
