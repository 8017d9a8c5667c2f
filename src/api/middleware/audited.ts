import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Act, NewEntries } from '../../store/audit.ts';
import type { ApiDeps, ApiEnv, RequestAttempt } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

/** The entry that the audit gets of a request. */
interface AuditedRoute {
  readonly action: string;
  /** Names what it is done to. @param newId of what a request makes */
  readonly subject: (path: Readonly<Record<string, string>>, newId: string | undefined) => string | null;
}

/**
 * What the audit has of a route that changes something. `by-handler`: the handler adds the entries, as `acts` or by `recordAct`.
 * `none`: no entry, because the route changes nothing, or makes something that names its maker itself.
 */
export type Auditing = AuditedRoute | 'by-handler' | 'none';

/** Entries whose subject is the id in the path. */
export const withId = (action: string): AuditedRoute => ({ action, subject: ({ id }) => id ?? null });
/** Entries whose subject is the id of what the request makes. */
export const made = (action: string): AuditedRoute => ({ action, subject: (_path, newId) => newId ?? null });

type AuditDeps = Pick<ApiDeps, 'store' | 'logger'>;

/**
 * Middleware: records what a request has done, once it is done; tries with one idempotency key have one record of an act. A
 * record that can't be written goes to the log, because the answer is true all the same. A deletion takes no key that could
 * make up for a process that dies, so it is recorded before it is done.
 */
export function audited(deps: AuditDeps, auditing: Exclude<Auditing, 'none'>) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    let intended: NewEntries | null = null;
    let recording: Promise<void> | undefined;
    const record = async (): Promise<void> =>
      intended ? await withdrawIfRefused(deps, c, intended) : await addActs(deps, c, actsOf(c, auditing));
    const recordOnce = (): Promise<void> => (recording ??= record());
    if (c.req.method === 'DELETE' && auditing !== 'by-handler')
      c.set('recordIntent', async () => {
        intended = entriesOf(c, [actOf(c, auditing)]);
        await deps.store.audit.add(intended);
      });
    c.set('recordAct', async (act) => await addEntries(deps, entriesOf(c, [act])));
    c.set('recordActs', recordOnce);
    await next();
    await recordOnce();
  });
}

async function addActs(deps: AuditDeps, c: Context<ApiEnv>, acts: readonly Act[]): Promise<void> {
  if (acts.length > 0) await addEntries(deps, entriesOf(c, acts));
}

async function addEntries({ store, logger }: AuditDeps, entries: NewEntries): Promise<void> {
  await store.audit.add(entries).catch((error: unknown) => {
    logger.error({ error, ...entries }, 'what a request has done could not be recorded');
  });
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

function actOf(c: Context<ApiEnv>, { action, subject }: AuditedRoute): Act {
  return { action, subject: subject(c.req.param(), attemptOf(c)?.id) };
}

/** @returns `undefined` for routes that take no idempotency key */
function attemptOf(c: Context<ApiEnv>): RequestAttempt | undefined {
  return c.get('attempt');
}

/** An answer that is given again tells of nothing new. */
function actsOf(c: Context<ApiEnv>, auditing: AuditedRoute | 'by-handler'): readonly Act[] {
  if (!mayHaveTakenEffect(c) || c.res.headers.get('idempotent-replayed') === 'true') return [];
  return c.get('acts') ?? (auditing === 'by-handler' ? [] : [actOf(c, auditing)]);
}

/** True for what was done, and for what was passed on and may be. */
function mayHaveTakenEffect({ res, error }: Context<ApiEnv>): boolean {
  return res.ok || (error instanceof ApiError && error.mayTakeEffect);
}
