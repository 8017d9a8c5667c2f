import type { JournalBatch } from './batch.ts';
import type { RunEvent } from './events.ts';
import type { Intervention } from './run-view.ts';

/**
 * The events that webhooks may subscribe to. Except for interventions, reminders and escalations, they are events of
 * the journal under the same name.
 */
export const WEBHOOK_EVENTS = [
  'run.started',
  'run.completed',
  'run.failed',
  'run.canceled',
  'run.paused',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'approval.reminder',
  'approval.escalated',
  'intervention.requested',
] as const;

/** The part before the dot names the subject of the event. */
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** An event that may be sent to webhooks. */
export interface WebhookEvent {
  readonly type: WebhookEventType;
  /** Unique among the events of its run. */
  readonly key: string;
  /** The number of the journal event; `null` if the event exists only in the view of the run. */
  readonly seq: number | null;
  /** RFC 3339. */
  readonly at: string;
  /** The id of the approval or the intervention; `null` if the event is about the run. */
  readonly subjectId: string | null;
  /**
   * The approval or the intervention at that time; `null` if the batch does not contain it, or if the current view is
   * to be sent.
   */
  readonly subject: object | null;
}

/** Returns the webhook events of a batch. An intervention is repeated in each batch while it waits. */
export function toWebhookEvents({ events, approvals, view }: JournalBatch): readonly WebhookEvent[] {
  const ofJournal = events.flatMap((event) => {
    if (!isWebhookEvent(event.type)) return [];
    const subjectId = approvalIdOf(event);
    const subject = approvals.find(({ id }) => id === subjectId) ?? null;
    return [{ type: event.type, key: String(event.seq), seq: event.seq, at: event.at, subjectId, subject }];
  });
  const interventions = view.waitingFor.flatMap((waiting) =>
    waiting.kind === 'intervention' ? [{ ...INTERVENTION, ...interventionSubject(waiting), subject: waiting }] : [],
  );
  return [...ofJournal, ...interventions];
}

const INTERVENTION = { type: 'intervention.requested', seq: null } as const;

function interventionSubject({ id, since }: Intervention) {
  return { key: `${id}@${since}`, at: since, subjectId: id };
}

const WEBHOOK_EVENT_TYPES: ReadonlySet<string> = new Set(WEBHOOK_EVENTS);

function isWebhookEvent(type: string): type is WebhookEventType {
  return WEBHOOK_EVENT_TYPES.has(type);
}

function approvalIdOf(event: RunEvent): string | null {
  if (event.type === 'approval.requested') return event.approval.id;
  return 'approvalId' in event ? event.approvalId : null;
}
