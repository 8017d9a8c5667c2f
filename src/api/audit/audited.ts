import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Act } from '../../store/audit/audit.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { AUDITED_ROUTES } from './audited-routes.ts';

/** The routes as Hono writes them. */
const ROUTES = new Map(
  Object.entries(AUDITED_ROUTES).map(([route, auditing]) => [route.replaceAll(/\{(\w+)\}/g, ':$1'), auditing]),
);

/**
 * Middleware: records what a request has done, once it is done. A record that can't be written goes to the log, because the
 * answer is true all the same.
 */
export function audited({ store, logger }: Pick<ApiDeps, 'store' | 'logger'>) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    await next();
    const acts = actsOf(c);
    if (acts.length === 0) return;
    const { tenantId, sub, roles } = c.get('caller');
    const requestId = c.get('requestId');
    const entries = { requestId, at: new Date().toISOString(), acts, by: { sub, tenantId, roles }, tenantId };
    await store.audit.add(entries).catch((error: unknown) => {
      logger.error({ error, ...entries }, 'what a request has done could not be recorded');
    });
  });
}

/** An answer that is given again tells of nothing new. */
function actsOf(c: Context<ApiEnv>): readonly Act[] {
  const auditing = ROUTES.get(`${c.req.method} ${routePath(c, -1)}`);
  if (auditing === undefined || auditing === 'own' || !mayBeDone(c)) return [];
  if (c.res.headers.get('idempotent-replayed') === 'true') return [];
  const said = c.get('acts');
  if (said || auditing === 'handler') return said ?? [];
  const attempt: ApiEnv['Variables']['attempt'] | undefined = c.get('attempt');
  return [{ action: auditing.action, subject: auditing.subject(c.req.param(), attempt?.id) }];
}

/** True for what was done, and for what was passed on and may be. */
function mayBeDone({ res, error }: Context<ApiEnv>): boolean {
  return res.ok || (error instanceof ApiError && error.mayTakeEffect);
}
