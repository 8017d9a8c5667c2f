import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Act, NewEntries } from '../../store/audit/audit.ts';
import type { ApiDeps, ApiEnv, RequestAttempt } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { AUDITED_ROUTES } from './audited-routes.ts';
import type { AuditedRoute } from './audited-routes.ts';

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
