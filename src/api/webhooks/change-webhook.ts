import type { Webhook, NewWebhook } from '../../store/webhooks/webhooks.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError, invalidField } from '../http/errors.ts';
import { openWebhookSender } from './open-sender.ts';
import { WEBHOOK_FORMATS } from './formats.ts';
import type { Caller } from '../http/authenticate.ts';
import type { RequestAttempt } from '../http/admission.ts';
import { findWebhook, requireFound } from './find-webhook.ts';
import { givenOrNewSecret } from './standard-webhooks.ts';

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
  const openedSender = openWebhookSender(settings.webhooks.allow);
  return async ({ secret: given, ...wanted }) => {
    const refusal = (await openedSender()).refusal(wanted.url);
    if (refusal !== null) throw invalidField('/url', refusal);
    const { unsignedBecause } = WEBHOOK_FORMATS[wanted.format];
    if (unsignedBecause !== null && given !== undefined) throw invalidField('/secret', unsignedBecause);
    const chosen = unsignedBecause === null ? givenOrNewSecret(given) : null;
    const webhook = await store.webhooks.add({ ...wanted, secret: chosen }, MAX_WEBHOOKS);
    if (!webhook) throw new ApiError('TOO_MANY_KEPT', `A tenant may have ${MAX_WEBHOOKS} webhooks`);
    // An earlier attempt of the request may have added the webhook with another secret.
    const [secret = null] = await store.webhooks.secretsOf(webhook.id);
    return { webhook, secret };
  };
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
  const { unsignedBecause } = WEBHOOK_FORMATS[format];
  if (unsignedBecause !== null) throw new ApiError('NOT_ALLOWED_NOW', unsignedBecause);
  const rotation = { id: attempt.id, secret: givenOrNewSecret(given) };
  const webhook = requireFound(await store.webhooks.rotate({ tenantId, id }, rotation, MAX_EARLIER_SECRETS), id);
  if (webhook === 'too-many')
    throw new ApiError(
      'TOO_MANY_KEPT',
      `${MAX_EARLIER_SECRETS} earlier secrets of the webhook still sign, each for a day; rotate again after the first of them`,
    );
  const [secret = null] = await store.webhooks.secretsOf(id);
  return { webhook, secret };
}
