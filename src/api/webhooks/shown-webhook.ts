import type { Webhook } from '../../store/webhooks/webhooks.ts';

/** A webhook as the API shows it. The path of Slack's URLs is a secret: who knows it can post. */
export function shownWebhook({ tenantId: _tenantId, ...webhook }: Webhook) {
  const { url, format } = webhook;
  return { ...webhook, url: format === 'slack' ? `${new URL(url).origin}/[hidden]` : url };
}
