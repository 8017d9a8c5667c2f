import type { Webhook } from '../../store/webhooks/webhooks.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { chosenSecret } from './add-webhook.ts';
import { findWebhook, present } from './find-webhook.ts';

/** The earlier secrets of a webhook that may sign beside its own: a retry of a rotation must not end any of them. */
const MAX_EARLIER_SECRETS = 3;

interface Wanted {
  readonly id: string;
  /** `undefined`: a new one is made. */
  readonly secret: string | undefined;
  readonly attempt: RequestAttempt;
}

/**
 * Gives a webhook another secret. For a day, both sign.
 * @throws ApiError 404; 409 for one without signatures, or while too many earlier ones sign; 422 for a wrong secret
 */
export async function rotateSecret(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  { id, secret: given, attempt }: Wanted,
): Promise<{ readonly webhook: Webhook; readonly secret: string | null }> {
  const { format, tenantId } = await findWebhook({ store }, caller, id);
  if (format === 'slack') throw new ApiError('NOT_ALLOWED_NOW', 'Messages for Slack have no signature');
  const rotation = { id: attempt.id, secret: chosenSecret(given) };
  const webhook = present(await store.webhooks.rotate({ tenantId, id }, rotation, MAX_EARLIER_SECRETS), id);
  if (webhook === 'too-many')
    throw new ApiError(
      'TOO_MANY_KEPT',
      `${MAX_EARLIER_SECRETS} earlier secrets of the webhook still sign, each for a day; rotate again after the first of them`,
    );
  const [secret = null] = await store.webhooks.secretsOf(id);
  return { webhook, secret };
}
