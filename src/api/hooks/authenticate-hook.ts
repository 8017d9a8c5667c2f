import { randomBytes } from 'node:crypto';
import type { Hook } from '../../store/hooks/hooks.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { SCHEMES } from './schemes.ts';
import type { SignedRequest } from './signed-request.ts';

type AuthenticateDeps = Pick<ApiDeps, 'store' | 'settings' | 'logger'>;

/** A name alone is looked for in so many tenants. */
const MAX_NAMESAKES = 20;

/** A secret of no hook. A request to a hook that does not exist is checked with it, which takes the same time. */
const DECOY = randomBytes(32).toString('base64');

/**
 * Finds the hook that a request is for. An address is `tenant.name`, or the name alone: of the hooks of that name whose
 * secret has signed, the oldest one is meant, so that a later one of another tenant takes no messages from it.
 * @throws ApiError 401, the same whatever is wrong
 */
export async function authenticateHook(deps: AuthenticateDeps, address: string, request: SignedRequest): Promise<Hook> {
  const hooks = await findAddressed(deps, address);
  if (hooks.length === 0) SCHEMES.github.isSigned(DECOY, request);
  const checked = await Promise.all(hooks.map(async (hook) => ((await isFor(deps, hook, request)) ? [hook] : [])));
  const [oldest] = checked.flat();
  if (oldest) return oldest;
  throw new ApiError('UNAUTHENTICATED', 'The signature is not accepted', {
    headers: { 'www-authenticate': 'Signature' },
  });
}

/** The oldest come first. Names have no dot, tenants may. */
async function findAddressed({ store }: AuthenticateDeps, address: string): Promise<readonly Hook[]> {
  const dot = address.lastIndexOf('.');
  if (dot < 0) return await store.hooks.named(address, MAX_NAMESAKES);
  const hook = await store.hooks.find({ tenantId: address.slice(0, dot), name: address.slice(dot + 1) });
  return hook ? [hook] : [];
}

async function isFor(deps: AuthenticateDeps, hook: Hook, request: SignedRequest): Promise<boolean> {
  const secret = await resolve(deps, hook);
  return secret !== null && SCHEMES[hook.scheme].isSigned(secret, request);
}

/** @returns `null` if there is no such secret: strangers get the same answer as for a wrong signature */
async function resolve(
  { settings, logger }: AuthenticateDeps,
  { tenantId, name, secret }: Hook,
): Promise<string | null> {
  if ('value' in secret) return secret.value;
  try {
    const value = await settings.secrets(secret.secret);
    return value === '' ? null : value;
  } catch {
    logger.warn({ tenant: tenantId, hook: name, secret: secret.secret }, 'the secret of a hook is not available');
    return null;
  }
}
