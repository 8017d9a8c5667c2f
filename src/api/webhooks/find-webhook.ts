import type { Webhook } from '../../store/webhooks/webhooks.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { Caller } from '../http/authenticate.ts';

import { WEBHOOK_FORMATS } from './formats.ts';

type FindDeps = Pick<ApiDeps, 'store'>;

/** Finds a webhook of the caller's tenant. @throws ApiError 404 */
export async function findWebhook({ store }: FindDeps, { tenantId }: Caller, id: string): Promise<Webhook> {
  return requireFound(await store.webhooks.find(tenantId, id), id);
}

/** Finds an enabled webhook. @throws ApiError 404, 409 when it is disabled */
export async function findEnabledWebhook(deps: FindDeps, caller: Caller, id: string): Promise<Webhook> {
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

/** Returns the public form of a webhook, without secrets in its URL. */
export function toWebhookJson({ tenantId: _tenantId, ...webhook }: Webhook) {
  const { url, format } = webhook;
  return { ...webhook, url: WEBHOOK_FORMATS[format].toPublicUrl(url) };
}
