import type { Webhook, NewWebhook } from '../../store/webhooks/webhooks.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import { ApiError, invalidField } from '../http/errors.ts';
import { openSender } from './open-sender.ts';
import { isSecret, newSecret } from './standard-webhooks.ts';
import { maySeeTenant } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';

/** The most webhooks of a tenant. */
const MAX_WEBHOOKS = 100;

type WebhookToAdd = Omit<NewWebhook, 'secret'> & { readonly secret: string | undefined };

/**
 * Adds a webhook to a tenant.
 * @returns the webhook with its secret, which is `null` for Slack
 * @throws ApiError 422 for an invalid secret or an address that the guard refuses, 409 when the tenant has too many
 * webhooks
 */
type AddWebhook = (wanted: WebhookToAdd) => Promise<{ readonly webhook: Webhook; readonly secret: string | null }>;

export function createAddWebhook({ store, settings }: Pick<ApiDeps, 'store' | 'settings'>): AddWebhook {
  const openedSender = openSender(settings.webhooks.allow);
  return async ({ secret: given, ...wanted }) => {
    const refusal = (await openedSender()).refusal(wanted.url);
    if (refusal !== null) throw invalidField('/url', refusal);
    const chosen = wanted.format === 'slack' ? unsigned(given) : chosenSecret(given);
    const webhook = await store.webhooks.add({ ...wanted, secret: chosen }, MAX_WEBHOOKS);
    if (!webhook) throw new ApiError('TOO_MANY_KEPT', `A tenant may have ${MAX_WEBHOOKS} webhooks`);
    // An earlier attempt of the request may have added the webhook with another secret.
    const [secret = null] = await store.webhooks.secretsOf(webhook.id);
    return { webhook, secret };
  };
}

/** Returns the given secret, or a new one. @throws ApiError 422 */
function chosenSecret(given: string | undefined): string {
  if (given === undefined) return newSecret();
  if (!isSecret(given)) throw invalidField('/secret', 'A secret is "whsec_" and 24 to 64 bytes in base64');
  return given;
}

function unsigned(given: string | undefined): null {
  if (given !== undefined) throw invalidField('/secret', 'Messages for Slack have no signature');
  return null;
}

type FindDeps = Pick<ApiDeps, 'store'>;

/** Finds a webhook of the caller's tenant; admins find those of all tenants. @throws ApiError 404 */
export async function findWebhook(deps: FindDeps, caller: Caller, id: string): Promise<Webhook> {
  return requireFound(await lookForWebhook(deps, caller, id), id);
}

/** Finds a webhook as `findWebhook` does. @returns `null` when it does not exist */
export async function lookForWebhook({ store }: FindDeps, caller: Caller, id: string): Promise<Webhook | null> {
  const webhook = await store.webhooks.findById(id);
  return webhook && maySeeTenant(caller, webhook.tenantId) ? webhook : null;
}

/** Finds an enabled webhook. @throws ApiError 404, 409 when it is disabled */
export async function findEnabled(deps: FindDeps, caller: Caller, id: string): Promise<Webhook> {
  const webhook = await findWebhook(deps, caller, id);
  if (webhook.disabled)
    throw new ApiError('NOT_ALLOWED_NOW', `Webhook "${id}" is disabled (${webhook.disabled.reason}); enable it first`);
  return webhook;
}

/** @throws ApiError 404 when nothing was found */
export function requireFound<T>(found: T | null, id: string, among = 'webhooks of this tenant'): T {
  if (found === null) throw new ApiError('NOT_FOUND', `There is no "${id}" among the ${among}`);
  return found;
}

/**
 * The most earlier secrets of a webhook that sign besides the current one. A retried rotation must not end any of them.
 */
const MAX_EARLIER_SECRETS = 3;

interface NewSecret {
  readonly id: string;
  /** `undefined` generates a new secret. */
  readonly secret: string | undefined;
  readonly attempt: RequestAttempt;
}

/**
 * Replaces the secret of a webhook. Old and new secret both sign for a day.
 * @throws ApiError 404; 409 for a webhook without signatures, or while too many earlier secrets sign; 422 for an
 * invalid secret
 */
export async function rotateSecret(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  { id, secret: given, attempt }: NewSecret,
): Promise<{ readonly webhook: Webhook; readonly secret: string | null }> {
  const { format, tenantId } = await findWebhook({ store }, caller, id);
  if (format === 'slack') throw new ApiError('NOT_ALLOWED_NOW', 'Messages for Slack have no signature');
  const rotation = { id: attempt.id, secret: chosenSecret(given) };
  const webhook = requireFound(await store.webhooks.rotate({ tenantId, id }, rotation, MAX_EARLIER_SECRETS), id);
  if (webhook === 'too-many')
    throw new ApiError(
      'TOO_MANY_KEPT',
      `${MAX_EARLIER_SECRETS} earlier secrets of the webhook still sign, each for a day; rotate again after the first of them`,
    );
  const [secret = null] = await store.webhooks.secretsOf(id);
  return { webhook, secret };
}

/** Returns the public form of a webhook. The path of a Slack URL is a secret, as it allows posting, and is hidden. */
export function toWebhookJson({ tenantId: _tenantId, ...webhook }: Webhook) {
  const { url, format } = webhook;
  return { ...webhook, url: format === 'slack' ? `${new URL(url).origin}/[hidden]` : url };
}
