import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Act } from '../../store/audit/audit.ts';
import type { ApiDeps, ApiEnv, Attempt } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { AUDITED_ROUTES } from './audited-routes.ts';
import type { AuditedRoute } from './audited-routes.ts';

/** The routes as Hono writes them. */
const ROUTES = new Map(
  Object.entries(AUDITED_ROUTES).map(([route, auditing]) => [route.replaceAll(/\{(\w+)\}/g, ':$1'), auditing]),
);

/**
 * Middleware: records what a request has done, once it is done; tries with one idempotency key have one record of an act. A
 * record that can't be written goes to the log, because the answer is true all the same.
 */
export function audited({ store, logger }: Pick<ApiDeps, 'store' | 'logger'>) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    let recording: Promise<void> | undefined;
    const recordOnce = (): Promise<void> => (recording ??= record({ store, logger }, c));
    c.set('recordActs', recordOnce);
    await next();
    await recordOnce();
  });
}

async function record({ store, logger }: Pick<ApiDeps, 'store' | 'logger'>, c: Context<ApiEnv>): Promise<void> {
  const acts = actsOf(c);
  if (acts.length === 0) return;
  const { tenantId, sub, roles } = c.get('caller');
  const requestId = c.get('requestId');
  const id = attemptOf(c)?.id ?? requestId;
  const entries = { id, requestId, at: new Date().toISOString(), acts, by: { sub, tenantId, roles }, tenantId };
  await store.audit.add(entries).catch((error: unknown) => {
    logger.error({ error, ...entries }, 'what a request has done could not be recorded');
  });
}

/** @returns `undefined` for routes that take no idempotency key */
function attemptOf(c: Context<ApiEnv>): Attempt | undefined {
  return c.get('attempt');
}

/** An answer that is given again tells of nothing new. */
function actsOf(c: Context<ApiEnv>): readonly Act[] {
  const auditing = ROUTES.get(`${c.req.method} ${routePath(c, -1)}`);
  if (auditing === undefined || auditing === 'own') return [];
  const done = c.get('done') ?? [];
  return mayBeDone(c) ? [...done, ...actsOfAnswer(c, auditing)] : done;
}

/** What was done if the request was not refused. */
function actsOfAnswer(c: Context<ApiEnv>, auditing: AuditedRoute | 'handler'): readonly Act[] {
  if (c.res.headers.get('idempotent-replayed') === 'true') return [];
  const said = c.get('acts');
  if (said || auditing === 'handler') return said ?? [];
  return [{ action: auditing.action, subject: auditing.subject(c.req.param(), attemptOf(c)?.id) }];
}

/** True for what was done, and for what was passed on and may be. */
function mayBeDone({ res, error }: Context<ApiEnv>): boolean {
  return res.ok || (error instanceof ApiError && error.mayTakeEffect);
}
