import { WEBHOOK_EVENTS } from '../../graph/journal/index.ts';
import { PageQuery, Time, idOf, listOf, orNull, pageOf } from './common.ts';
import { z } from './zod.ts';

/* Examples: a webhook and its deliveries. */

const NEW_WEBHOOK_EXAMPLE = {
  url: 'https://hooks.example.com/holdfast',
  events: ['run.failed', 'approval.requested'] as const,
};

const WEBHOOK_EXAMPLE = {
  id: '01M8011XJ5V0Q2S3T4W5X6Y7Z8',
  ...NEW_WEBHOOK_EXAMPLE,
  format: 'standard' as const,
  linkBase: null,
  failingSince: null,
  disabled: null,
  createdAt: '2026-11-24T09:00:00.000Z',
  createdBy: 'uma',
};

const SECRET_EXAMPLE = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';

const DELIVERY_EXAMPLE = {
  id: 'msg_6f1f0c3c5f0e4f2f9c8b1f5d2a7e4b90',
  type: 'approval.requested' as const,
  runId: '01M800DSH4JRWTXR3ARZ68NEG3',
  status: 'pending' as const,
  attempts: [{ at: '2026-11-24T09:30:00.611Z', status: 503, error: null, durationMs: 84 }],
  nextAttemptAt: '2026-11-24T09:30:05.981Z',
  createdAt: '2026-11-24T09:30:00.215Z',
};

const MAX_URL = 2_048;
const MAX_EVENTS = 30;
/** The longest secret: 64 bytes in base64, with its prefix. */
const MAX_SECRET = 94;

const EventTypeSchema = z.enum(WEBHOOK_EVENTS).openapi('WebhookEventType');
const FormatSchema = z.enum(['standard', 'slack']);

const HttpUrl = z
  .url({ protocol: /^https?$/ })
  .max(MAX_URL)
  .openapi({ format: 'uri' });

const SigningSecret = z
  .string()
  .max(MAX_SECRET)
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'A secret is "whsec_" and 24 to 64 bytes in base64')
  .openapi({ description: 'Signs messages: `whsec_` and 24 to 64 bytes in base64; without it one is made' });

export const NewWebhookSchema = z
  .strictObject({
    url: HttpUrl.openapi({ description: 'Where messages are posted to' }),
    events: z.array(EventTypeSchema).min(1).max(MAX_EVENTS).openapi({ description: 'What it is told of' }),
    secret: SigningSecret.optional(),
    format: FormatSchema.default('standard').openapi({
      description:
        '`standard`: a JSON body with signatures (Standard Webhooks 1.0). `slack`: an incoming webhook of Slack, whose secret is its URL',
    }),
    linkBase: HttpUrl.optional().openapi({ description: 'What links in messages for Slack begin with' }),
  })
  .openapi('NewWebhook', { example: { ...NEW_WEBHOOK_EXAMPLE, events: [...NEW_WEBHOOK_EXAMPLE.events] } });

export const RotateSchema = z
  .strictObject({ secret: SigningSecret.optional() })
  .openapi('WebhookRotation', { example: { secret: SECRET_EXAMPLE } });

/** The body of a request without fields. */
export const NothingSchema = z.strictObject({}).openapi('Nothing', { example: {} });

const webhookFields = {
  id: z.string(),
  url: z.string().openapi({ description: "For Slack, without its last part, which is Slack's secret" }),
  events: listOf(EventTypeSchema),
  format: FormatSchema,
  linkBase: z.string().nullable(),
  failingSince: Time.nullable().openapi({ description: 'The first failure since something was delivered' }),
  disabled: orNull(
    z.object({
      at: Time,
      reason: z
        .enum(['gone', 'failing'])
        .openapi({ description: '`gone`: an answer 410. `failing`: five days of failures' }),
    }),
  ).openapi({ description: 'null: it is told of events' }),
  createdAt: Time,
  createdBy: z.string(),
};

export const WebhookSchema = z.object(webhookFields).openapi('Webhook', { example: WEBHOOK_EXAMPLE });

export const WebhookWithSecretSchema = z
  .object({
    ...webhookFields,
    secret: z.string().nullable().openapi({ description: 'Shown this once; null: the format has no signatures' }),
  })
  .openapi('WebhookWithSecret', { example: { ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE } });

export const WebhookListSchema = pageOf('WebhookList', WebhookSchema, WEBHOOK_EXAMPLE);

const DeliveryStatusSchema = z.enum(['pending', 'delivered', 'failed']);

export const WebhookDeliverySchema = z
  .object({
    id: z.string().openapi({ description: 'The `webhook-id` of the message, at each attempt' }),
    type: z.enum([...WEBHOOK_EVENTS, 'webhook.ping']),
    runId: z.string().nullable(),
    status: DeliveryStatusSchema,
    attempts: listOf(
      z.object({
        at: Time,
        status: z.int().nullable().openapi({ description: 'Of the answer; null: there was none' }),
        error: z.string().nullable(),
        durationMs: z.int(),
      }),
    ),
    nextAttemptAt: Time.nullable(),
    createdAt: Time,
  })
  .openapi('WebhookDelivery', { example: DELIVERY_EXAMPLE });

export const WebhookDeliveryListSchema = pageOf('WebhookDeliveryList', WebhookDeliverySchema, DELIVERY_EXAMPLE);

export const DeliveryQuery = PageQuery.extend({
  status: DeliveryStatusSchema.optional().openapi({ description: 'Only deliveries with this status' }),
});

export const WebhookId = idOf('webhook');
export const DeliveryId = WebhookId.extend({
  deliveryId: z.string().openapi({ description: 'The id of the delivery' }),
});
