import type { NewWebhook } from 'holdfast/client';

type WebhookEvent = NewWebhook['events'][number];

/** What webhooks may be told of, in words; the types of the API say which there are. */
export const EVENT_TEXTS: Readonly<Record<WebhookEvent, string>> = {
  'run.started': 'A run has begun',
  'run.completed': 'A run has ended as it should',
  'run.failed': 'A run has failed',
  'run.canceled': 'A run was canceled',
  'run.paused': 'A run was paused',
  'approval.requested': 'An approval waits for people',
  'approval.decided': 'Somebody has decided an approval',
  'approval.expired': 'Nobody has decided an approval in time',
  'approval.reminder': 'Somebody reminds of an approval',
  'approval.escalated': 'An approval waits for more people than before',
  'intervention.requested': 'A failed node waits for a person',
};

export function isWebhookEvent(name: string): name is WebhookEvent {
  return Object.hasOwn(EVENT_TEXTS, name);
}
