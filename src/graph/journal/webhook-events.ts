import type { JournalBatch } from './batch.ts';
import type { RunEvent } from './events.ts';

/** What an event that webhooks are told of is about: its `data` is that thing. */
export type WebhookSubject = 'run' | 'approval' | 'intervention';

/** The events that webhooks may ask for. All but interventions are events of the journal under the same name. */
export const WEBHOOK_EVENTS = {
  'run.started': 'run',
  'run.completed': 'run',
  'run.failed': 'run',
  'run.canceled': 'run',
  'run.paused': 'run',
  'approval.requested': 'approval',
  'approval.decided': 'approval',
  'approval.expired': 'approval',
  'intervention.requested': 'intervention',
} as const satisfies Readonly<Record<string, WebhookSubject>>;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;

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

function isTold(type: string): type is WebhookEventType {
  return Object.hasOwn(WEBHOOK_EVENTS, type);
}

function approvalIdOf(event: RunEvent): string | null {
  if (event.type === 'approval.requested') return event.approval.id;
  return 'approvalId' in event ? event.approvalId : null;
}
