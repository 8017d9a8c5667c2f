import type { JournalBatch } from './batch.ts';
import type { RunEvent } from './events.ts';

/** The events that webhooks may ask for. All but interventions, reminders and escalations are events of the journal under the same name. */
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

/** Its first part is what the event is about. */
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** An event that webhooks may be told of. */
export interface WebhookEvent {
  readonly type: WebhookEventType;
  /** Tells it from all others of its run. */
  readonly key: string;
  /** The event of the journal; `null`: it stands in the view of the run alone. */
  readonly seq: number | null;
  /** RFC 3339. */
  readonly at: string;
  /** The id of the approval or the intervention; `null`: the event is about the run. */
  readonly subjectId: string | null;
  /** The approval or the intervention as it is then; `null`: the batch does not have it, or its view is meant. */
  readonly subject: object | null;
}

/** Returns what a batch has for webhooks. An intervention is there again in each batch in which it still waits. */
export function toWebhookEvents({ events, approvals, view }: JournalBatch): readonly WebhookEvent[] {
  const ofJournal = events.flatMap((event) => {
    if (!isTold(event.type)) return [];
    const subjectId = approvalIdOf(event);
    const subject = approvals.find(({ id }) => id === subjectId) ?? null;
    return [{ type: event.type, key: String(event.seq), seq: event.seq, at: event.at, subjectId, subject }];
  });
  const interventions = view.waitingFor.flatMap((waiting) =>
    waiting.kind === 'intervention' ? [{ ...INTERVENTION, ...placeOf(waiting), subject: waiting }] : [],
  );
  return [...ofJournal, ...interventions];
}

const INTERVENTION = { type: 'intervention.requested', seq: null } as const;

function placeOf({ id, since }: { readonly id: string; readonly since: string }) {
  return { key: `${id}@${since}`, at: since, subjectId: id };
}

const TYPES: ReadonlySet<string> = new Set(WEBHOOK_EVENTS);

function isTold(type: string): type is WebhookEventType {
  return TYPES.has(type);
}

function approvalIdOf(event: RunEvent): string | null {
  if (event.type === 'approval.requested') return event.approval.id;
  return 'approvalId' in event ? event.approvalId : null;
}
