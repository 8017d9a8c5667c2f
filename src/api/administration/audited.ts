import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Act, NewEntries } from '../../store/audit.ts';
import type { ApiDeps, ApiEnv, RequestAttempt } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

/** What a route does, for the audit. */
export interface AuditedRoute {
  readonly action: string;
  /** Names what it is done to. @param newId of what a request makes */
  readonly subject: (path: Readonly<Record<string, string>>, newId: string | undefined) => string | null;
}

/**
 * `handler`: the handler says what was done, as `acts` or by `recordAct`. `own`: the audit has no entry, because the route changes
 * nothing, or makes something that names its maker itself.
 */
type Auditing = AuditedRoute | 'handler' | 'own';

const withId = (action: string): AuditedRoute => ({ action, subject: ({ id }) => id ?? null });
const made = (action: string): AuditedRoute => ({ action, subject: (_path, newId) => newId ?? null });

/** Every route that changes something. */
export const AUDITED_ROUTES: Readonly<Record<string, Auditing>> = {
  'PUT /admin/switches/{kind}/{name}': 'handler',
  'DELETE /admin/switches/{kind}/{name}': {
    action: 'switch.delete',
    subject: ({ kind, name }) => `${kind ?? ''}/${name ?? ''}`,
  },
  'PUT /admin/tenants/{id}': withId('tenant.set'),
  'DELETE /admin/tenants/{id}': withId('tenant.delete'),
  'POST /admin/prune': 'handler',

  'POST /api/runs/{id}/pause': withId('run.pause'),
  'POST /api/runs/{id}/resume': withId('run.resume'),
  'POST /api/runs/{id}/replan': withId('run.replan'),
  'POST /api/runs/{id}/signal': withId('run.signal'),
  'POST /api/runs/{id}/cancel': withId('run.cancel'),
  'POST /api/runs/{id}/retry': withId('run.retry'),
  'POST /api/runs/{id}/skip': withId('run.skip'),
  'POST /api/runs/{id}/fail': withId('run.fail'),
  'POST /api/runs/bulk': 'handler',
  'PATCH /api/runs/{id}/state': withId('run.edit'),
  'POST /api/runs/{id}/fork': withId('run.fork'),
  'POST /api/runs/{id}/replay': withId('run.replay'),

  'POST /api/runs/{id}/approve': 'handler',
  'POST /api/runs/{id}/reject': 'handler',
  'POST /api/approvals/{id}/decision': 'handler',
  'POST /api/approvals/decisions': 'handler',
  'POST /api/chat/{graph}': 'handler',
  'POST /api/approvals/{id}/comment': withId('approval.comment'),
  'POST /api/approvals/{id}/remind': withId('approval.remind'),
  'POST /api/approvals/{id}/reassign': withId('approval.reassign'),

  'POST /api/graphs': 'handler',
  'DELETE /api/graphs/{name}/versions/{version}': {
    action: 'graph.unpublish',
    subject: ({ name, version }) => `${name ?? ''}@${version ?? ''}`,
  },
  'PUT /api/graphs/{name}/aliases/{alias}': {
    action: 'graph.alias.set',
    subject: ({ name, alias }) => `${name ?? ''}@${alias ?? ''}`,
  },
  'DELETE /api/graphs/{name}/aliases/{alias}': {
    action: 'graph.alias.delete',
    subject: ({ name, alias }) => `${name ?? ''}@${alias ?? ''}`,
  },

  'POST /api/schedules': made('schedule.create'),
  'PATCH /api/schedules/{id}': withId('schedule.change'),
  'DELETE /api/schedules/{id}': withId('schedule.delete'),
  'POST /api/schedules/{id}/trigger': withId('schedule.trigger'),
  'POST /api/schedules/{id}/backfill': withId('schedule.backfill'),

  'POST /api/webhooks': made('webhook.create'),
  'DELETE /api/webhooks/{id}': withId('webhook.delete'),
  'POST /api/webhooks/{id}/rotate': withId('webhook.rotate'),
  'POST /api/webhooks/{id}/enable': withId('webhook.enable'),
  'POST /api/webhooks/{id}/ping': withId('webhook.ping'),
  'POST /api/webhooks/{id}/deliveries/{deliveryId}/replay': withId('webhook.replay'),

  'PUT /api/hooks/{id}': withId('hook.put'),
  'DELETE /api/hooks/{id}': withId('hook.delete'),

  'POST /api/runs': 'own',
  'POST /api/hooks/{id}': 'own',
  'POST /api/blobs': 'own',
  'PUT /api/memory/{namespace}/{key}': 'own',
  'DELETE /api/memory/{namespace}/{key}': {
    action: 'memory.delete',
    subject: ({ namespace, key }) => `${namespace ?? ''}/${key ?? ''}`,
  },
  'POST /api/graphs/validate': 'own',
  'POST /api/graphs/{name}/test': 'own',
  'POST /api/runs/{id}/stream-ticket': 'own',
  'POST /console/local-sign-in': 'own',
};

/** The routes as Hono writes them. */
const ROUTES = new Map(
  Object.entries(AUDITED_ROUTES).map(([route, auditing]) => [route.replaceAll(/\{(\w+)\}/g, ':$1'), auditing]),
);

type AuditDeps = Pick<ApiDeps, 'store' | 'logger'>;

/**
 * Middleware: records what a request has done, once it is done; tries with one idempotency key have one record of an act. A
 * record that can't be written goes to the log, because the answer is true all the same. A deletion takes no key that could
 * make up for a process that dies, so it is recorded before it is done.
 */
export function audited(deps: AuditDeps) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    let intended: NewEntries | null = null;
    let recording: Promise<void> | undefined;
    const record = async (): Promise<void> =>
      intended ? await withdrawIfRefused(deps, c, intended) : await recordDone(deps, c);
    const recordOnce = (): Promise<void> => (recording ??= record());
    c.set('recordIntent', async () => {
      intended = await recordIntent(deps, c);
    });
    c.set('recordAct', async (act) => await addEntries(deps, entriesOf(c, [act])));
    c.set('recordActs', recordOnce);
    await next();
    await recordOnce();
  });
}

async function recordDone(deps: AuditDeps, c: Context<ApiEnv>): Promise<void> {
  const acts = actsOf(c);
  if (acts.length > 0) await addEntries(deps, entriesOf(c, acts));
}

async function addEntries({ store, logger }: AuditDeps, entries: NewEntries): Promise<void> {
  await store.audit.add(entries).catch((error: unknown) => {
    logger.error({ error, ...entries }, 'what a request has done could not be recorded');
  });
}

/** @returns what is recorded; `null`: the request is no deletion. @throws what keeps the record from being written */
async function recordIntent({ store }: AuditDeps, c: Context<ApiEnv>): Promise<NewEntries | null> {
  const auditing = auditingOf(c);
  if (c.req.method !== 'DELETE' || typeof auditing !== 'object') return null;
  const entries = entriesOf(c, [actOf(c, auditing)]);
  await store.audit.add(entries);
  return entries;
}

/** What a failing server has done is not known, so its record stays. */
async function withdrawIfRefused(
  { store, logger }: AuditDeps,
  { res: { status } }: Context<ApiEnv>,
  entries: NewEntries,
): Promise<void> {
  if (status < 400 || status >= 500) return;
  await store.audit.withdraw(entries).catch((error: unknown) => {
    logger.error({ error, ...entries }, 'the audit has a deletion that was refused');
  });
}

function entriesOf(c: Context<ApiEnv>, acts: readonly Act[]): NewEntries {
  const { tenantId, sub, roles } = c.get('caller');
  const requestId = c.get('requestId');
  const id = attemptOf(c)?.id ?? requestId;
  return { id, requestId, at: new Date().toISOString(), acts, by: { sub, tenantId, roles }, tenantId };
}

function auditingOf(c: Context<ApiEnv>) {
  return ROUTES.get(`${c.req.method} ${routePath(c, -1)}`);
}

function actOf(c: Context<ApiEnv>, { action, subject }: AuditedRoute): Act {
  return { action, subject: subject(c.req.param(), attemptOf(c)?.id) };
}

/** @returns `undefined` for routes that take no idempotency key */
function attemptOf(c: Context<ApiEnv>): RequestAttempt | undefined {
  return c.get('attempt');
}

/** An answer that is given again tells of nothing new. */
function actsOf(c: Context<ApiEnv>): readonly Act[] {
  const auditing = auditingOf(c);
  if (auditing === undefined || auditing === 'own' || !mayHaveTakenEffect(c)) return [];
  if (c.res.headers.get('idempotent-replayed') === 'true') return [];
  const said = c.get('acts');
  if (said || auditing === 'handler') return said ?? [];
  return [actOf(c, auditing)];
}

/** True for what was done, and for what was passed on and may be. */
function mayHaveTakenEffect({ res, error }: Context<ApiEnv>): boolean {
  return res.ok || (error instanceof ApiError && error.mayTakeEffect);
}
