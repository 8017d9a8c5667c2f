import type { Webhook } from '../../store/webhooks/webhooks.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';

type FindDeps = Pick<ApiDeps, 'store'>;

/** Finds a webhook of the caller's tenant. @throws ApiError 404 */
export async function findWebhook({ store }: FindDeps, { tenantId }: Caller, id: string): Promise<Webhook> {
  return present(await store.webhooks.find(tenantId, id), id);
}

/** Finds one that is told of events. @throws ApiError 404, 409 when it is disabled */
export async function findEnabled(deps: FindDeps, caller: Caller, id: string): Promise<Webhook> {
  const webhook = await findWebhook(deps, caller, id);
  if (webhook.disabled)
    throw new ApiError('NOT_ALLOWED_NOW', `Webhook "${id}" is disabled (${webhook.disabled.reason}); enable it first`);
  return webhook;
}

/** @throws ApiError 404 for none */
export function present<T>(found: T | null, id: string, among = 'webhooks of this tenant'): T {
  if (found === null) throw new ApiError('NOT_FOUND', `There is no "${id}" among the ${among}`);
  return found;
}
