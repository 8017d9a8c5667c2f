/** The way to a webhook. With `/api` before it, it is that of the API. */
export function toWebhook(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`;
}
