import { Time } from './common.ts';
import { EVENT_EXAMPLES } from './examples.ts';
import { z } from './zod.ts';

const STREAM_EXAMPLE = EVENT_EXAMPLES.map(
  (event) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
).join('');

/** The text of a stream of server-sent events. */
export const EventStreamSchema = z.string().openapi('EventStream', {
  description:
    'Server-sent events (WHATWG HTML, section 9.2): `event` is the type of an event, `data` an `Event` as JSON, and `id` goes into `Last-Event-ID` to resume. `: hb` comes every 15 seconds.',
  example: STREAM_EXAMPLE,
});

export const LastEventId = z.object({
  'last-event-id': z
    .string()
    .optional()
    .openapi({ description: 'The `id` of the last event that came: the stream goes on after it' }),
});

/** The same as `LastEventId`; `readLastEventId` checks it. */
export const LastSeq = z.object({
  'last-event-id': z.string().optional().openapi({
    pattern: '^(?:0|[1-9]\\d{0,9})$',
    description: 'The `id` of the last event that came, which is its `seq`: the stream goes on after it',
  }),
});

export const RunStreamQuery = z.strictObject({
  ticket: z
    .string()
    .optional()
    .openapi({ description: 'A ticket of `POST /api/runs/{id}/stream-ticket`, instead of a token. It is used up' }),
  stream: z.enum(['events', 'tokens']).default('events').openapi({
    description:
      '`tokens`: with `model.delta` and `tool.progress` events, which have no `id`: what models say while they say it, and what calls report while they are made',
  }),
});

const EVENT_TYPES = /^[a-z]+\.[a-z]+(?:,[a-z]+\.[a-z]+){0,49}$/;

export const TenantStreamQuery = z.strictObject({
  graph: z.string().min(1).optional().openapi({ description: 'Only events of runs of the graph with this name' }),
  type: z
    .string()
    .regex(EVENT_TYPES, 'Types of events are expected here, with commas between them')
    .optional()
    .openapi({ description: 'Only events of these types, such as `approval.requested,run.failed`' }),
});

export const NewTicketSchema = z
  .strictObject({
    after: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .default(0)
      .openapi({ description: 'The `seq` of the last event that is known; `Last-Event-ID` goes before it' }),
  })
  .openapi('NewStreamTicket', { example: { after: 6 } });

const TICKET_EXAMPLE = {
  ticket: 'pLzNRSXZ8H0m3vV2Jq6c1d9uYbTgKfWxEoAiMhBnQsU',
  expiresAt: '2026-11-24T09:42:12.804Z',
};

export const TicketSchema = z
  .object({ ticket: z.string(), expiresAt: Time })
  .openapi('StreamTicket', { example: TICKET_EXAMPLE });
