import type { Webhook, NewWebhook } from '../../store/webhooks/webhooks.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { openSender } from './open-sender.ts';
import { isSecret, newSecret } from './standard-webhooks.ts';

/** The webhooks that a tenant may have. */
const MAX_WEBHOOKS = 100;

type Wanted = Omit<NewWebhook, 'secret'> & { readonly secret: string | undefined };

/**
 * Adds a webhook to a tenant.
 * @returns it with its secret, which is `null` for Slack
 * @throws ApiError 422 for an address that the guard refuses or a wrong secret, 409 when the tenant has enough
 */
type AddWebhook = (wanted: Wanted) => Promise<{ readonly webhook: Webhook; readonly secret: string | null }>;

export function createAddWebhook({ store, settings }: Pick<ApiDeps, 'store' | 'settings'>): AddWebhook {
  const openedSender = openSender(settings.webhooks.allow);
  return async ({ secret: given, ...wanted }) => {
    const refusal = (await openedSender()).refusal(wanted.url);
    if (refusal !== null) throw wrong('/url', refusal);
    const chosen = wanted.format === 'slack' ? unsigned(given) : chosenSecret(given);
    const webhook = await store.webhooks.add({ ...wanted, secret: chosen }, MAX_WEBHOOKS);
    if (!webhook) throw new ApiError('TOO_MANY_KEPT', `A tenant may have ${MAX_WEBHOOKS} webhooks`);
    // An earlier try of the request may have added it, with another secret.
    const [secret = null] = await store.webhooks.secretsOf(webhook.id);
    return { webhook, secret };
  };
}

/** Returns a secret that was given, or a new one. @throws ApiError 422 */
export function chosenSecret(given: string | undefined): string {
  if (given === undefined) return newSecret();
  if (!isSecret(given)) throw wrong('/secret', 'A secret is "whsec_" and 24 to 64 bytes in base64');
  return given;
}

function unsigned(given: string | undefined): null {
  if (given !== undefined) throw wrong('/secret', 'Messages for Slack have no signature');
  return null;
}

function wrong(path: string, message: string): ApiError {
  return new ApiError('INVALID_REQUEST', message, { issues: [{ path, message }] });
}
