import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { AuditedAct, NewEntries } from '../../store/audit.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { RequestAttempt } from '../http/admission.ts';

/** How a request is recorded in the audit log. */
interface AuditedRoute {
  readonly action: string;
  /** Returns the id of the subject. @param newId the id of what the request creates */
  readonly subject: (path: Readonly<Record<string, string>>, newId: string | undefined) => string | null;
}

/**
 * How the audit log records a route that changes something. `by-handler`: the handler adds the acts to `acts` or calls
 * `recordAct`. `none`: nothing is recorded, because the route changes nothing or creates something that stores its
 * creator.
 */
export type Auditing = AuditedRoute | 'by-handler' | 'none';

/** Records the id in the path as the subject. */
export const auditPathId = (action: string): AuditedRoute => ({ action, subject: ({ id }) => id ?? null });
/** Records the id of the created resource as the subject. */
export const auditNewId = (action: string): AuditedRoute => ({ action, subject: (_path, newId) => newId ?? null });

type AuditDeps = Pick<ApiDeps, 'store' | 'logger'>;

/**
 * Middleware: records the acts of a request after it was handled; attempts with the same idempotency key record an act
 * only once. A record that can't be stored is logged instead, because the answer remains valid. A deletion has no
 * idempotency key to repeat it after a crash, so it is recorded before it is done.
 */
export function audited(deps: AuditDeps, auditing: Exclude<Auditing, 'none'>) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    let intended: NewEntries | null = null;
    let recording: Promise<void> | undefined;
    const record = async (): Promise<void> =>
      intended ? await withdrawIfRefused(deps, c, intended) : await addActs(deps, c, auditedActsOf(c, auditing));
    const recordOnce = (): Promise<void> => (recording ??= record());
    if (c.req.method === 'DELETE' && auditing !== 'by-handler')
      c.set('recordIntent', async () => {
        intended = auditEntriesOf(c, [auditedActOf(c, auditing)]);
        await deps.store.audit.add(intended);
      });
    c.set('recordAct', async (act) => await addEntries(deps, auditEntriesOf(c, [act])));
    c.set('recordActs', recordOnce);
    await next();
    await recordOnce();
  });
}

async function addActs(deps: AuditDeps, c: Context<ApiEnv>, acts: readonly AuditedAct[]): Promise<void> {
  if (acts.length > 0) await addEntries(deps, auditEntriesOf(c, acts));
}

async function addEntries({ store, logger }: AuditDeps, entries: NewEntries): Promise<void> {
  await store.audit.add(entries).catch((error: unknown) => {
    logger.error({ error, ...entries }, 'what a request has done could not be recorded');
  });
}

/** After a server error it is unknown what was done, so the record is kept. */
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

function auditEntriesOf(c: Context<ApiEnv>, acts: readonly AuditedAct[]): NewEntries {
  const { tenantId, sub, roles, permissions } = c.get('caller');
  const requestId = c.get('requestId');
  const id = attemptOfRequest(c)?.id ?? requestId;
  return {
    id,
    requestId,
    at: new Date().toISOString(),
    acts,
    by: { sub, tenantId, roles },
    tenantId,
    crossesTenants: permissions.has('admin'),
  };
}

function auditedActOf(c: Context<ApiEnv>, { action, subject }: AuditedRoute): AuditedAct {
  return { action, subject: subject(c.req.param(), attemptOfRequest(c)?.id) };
}

/** @returns `undefined` for routes without an idempotency key */
function attemptOfRequest(c: Context<ApiEnv>): RequestAttempt | undefined {
  return c.get('attempt');
}

/** A repeated answer has no new acts. */
function auditedActsOf(c: Context<ApiEnv>, auditing: AuditedRoute | 'by-handler'): readonly AuditedAct[] {
  if (!mayHaveTakenEffect(c) || c.res.headers.get('idempotent-replayed') === 'true') return [];
  return c.get('acts') ?? (auditing === 'by-handler' ? [] : [auditedActOf(c, auditing)]);
}

/** Returns true for a request that succeeded, or was passed on and may take effect. */
function mayHaveTakenEffect({ res, error }: Context<ApiEnv>): boolean {
  return res.ok || (error instanceof ApiError && error.mayTakeEffect);
}
