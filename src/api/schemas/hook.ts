import { HOOK_SCHEMES } from '../../store/hook.ts';
import { GivenRecord, JsonRecord, orNull, Time, pageOf } from './common.ts';
import { z } from './zod.ts';

/* Examples: a hook in requests and responses. */

const NEW_HOOK_EXAMPLE = {
  scheme: 'github' as const,
  secret: { secret: 'GITHUB_WEBHOOK_SECRET' },
  start: { graph: 'triage', input: { issue: '{{ body.issue }}', action: '{{ body.action }}' } },
};

export const HOOK_EXAMPLE = {
  id: 'issues',
  path: '/api/hooks/acme.issues',
  ...NEW_HOOK_EXAMPLE,
  createdAt: '2026-11-24T09:00:00.000Z',
  updatedAt: '2026-11-24T09:00:00.000Z',
  by: 'uma',
};

const RECEIVED_EXAMPLE = { runId: '01M800DSH4JRWTXR3ARZ68NEG3' };

const SchemeSchema = z.enum(HOOK_SCHEMES).openapi('HookScheme');

/** Limits in characters. */
const MAX_SECRET = 512;
const MIN_SECRET = 8;
const MAX_NAME = 255;
const MAX_RUN_TEMPLATE = 10_000;

const SecretReferenceSchema = z
  .strictObject({ secret: z.string().min(1).max(MAX_NAME) })
  .openapi('SecretReference', { example: NEW_HOOK_EXAMPLE.secret });

const StartAction = z.strictObject({
  graph: z.string().min(1).max(MAX_NAME).openapi({ description: 'The name of a graph, perhaps with version or alias' }),
  input: JsonRecord.openapi({
    type: 'object',
    additionalProperties: true,
    description: 'Texts may have `{{ }}` over `body` and `headers`',
  }),
});

const EventAction = z.strictObject({
  run: z
    .string()
    .min(1)
    .max(MAX_RUN_TEMPLATE)
    .openapi({ description: 'The id of the run; it may have `{{ }}` over `body` and `headers`' }),
  name: z.string().min(1).max(MAX_NAME).openapi({ description: 'Of the event, whose payload is the body' }),
});

export const NewHookSchema = z
  .strictObject({
    scheme: SchemeSchema,
    secret: z.union([z.string().min(MIN_SECRET).max(MAX_SECRET), SecretReferenceSchema]).openapi({
      description: 'The name of a secret, which is safer, or the secret itself, which is stored and never shown',
    }),
    start: StartAction.optional().openapi({ description: 'The run that each message starts' }),
    event: EventAction.optional().openapi({ description: 'The event that each message is for a run' }),
  })
  .refine(({ start, event }) => (start === undefined) !== (event === undefined), 'Give either "start" or "event"')
  .openapi('NewHook', { example: NEW_HOOK_EXAMPLE });

export const HookSchema = z
  .object({
    id: z.string(),
    path: z.string().openapi({ description: 'Where messages are posted to' }),
    scheme: SchemeSchema,
    secret: orNull(SecretReferenceSchema).openapi({ description: 'null: it is stored' }),
    start: z.object({ graph: z.string(), input: GivenRecord }).optional(),
    event: z.object({ run: z.string(), name: z.string() }).optional(),
    createdAt: Time,
    updatedAt: Time,
    by: z.string().openapi({ description: 'Who changed it last, in whose name it acts' }),
  })
  .openapi('Hook', { example: HOOK_EXAMPLE });

export const HookListSchema = pageOf('HookList', HookSchema, HOOK_EXAMPLE);

export const ReceivedSchema = z
  .object({
    runId: z.string().optional().openapi({ description: 'The run that it has started' }),
    ok: z.literal(true).optional().openapi({ description: 'The event was taken, or there was nothing to do' }),
    challenge: z.string().optional().openapi({ description: 'Of the message by which Slack tries an address' }),
  })
  .openapi('Received', { example: RECEIVED_EXAMPLE });

export const HookName = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, 'A name has 1 to 63 letters, digits, "-" and "_"')
    .openapi({ description: 'The name of the hook, one of the tenant' }),
});

export const HookAddress = z.object({
  id: z.string().openapi({ description: 'The end of the path of the hook, `tenant.name`' }),
});
