import type { WebhookSender } from './sender.ts';

/** Creates the sender at its first use, so that API processes without webhooks do not load the HTTP client. */
export function openWebhookSender(allow: readonly string[]): () => Promise<WebhookSender> {
  let sender: Promise<WebhookSender> | undefined;
  return async () =>
    await (sender ??= import('./sender.ts').then(({ createWebhookSender }) => createWebhookSender(allow)));
}
