import { z } from '@hono/zod-openapi';
import {
  GivenJson,
  NextCursor,
  NodeId,
  PageQuery,
  RunErrorSchema,
  Time,
  aPage,
  digits,
  listOf,
  orNull,
} from './common.ts';
import { CALL_EXAMPLE } from './examples/call.ts';
import { FilterTime } from './run-filter.ts';

const CallKindSchema = z.enum(['model', 'tool', 'function', 'node']);

/** Each call may have a large request and a large answer. */
const MAX_CALLS = 50;

export const CallQuery = PageQuery.extend({
  limit: digits(MAX_CALLS).default(20).openapi({ default: 20, description: 'So many calls at most' }),
  node: NodeId.optional().openapi({ description: 'Only calls of the nodes with this id' }),
  until: FilterTime.openapi({
    description: 'Only calls that were made until this time (RFC 3339); those of models have ended by then',
  }),
  order: z
    .enum(['oldest', 'newest'])
    .default('oldest')
    .openapi({ default: 'oldest', description: 'Which calls come first' }),
  kind: CallKindSchema.optional().openapi({ description: 'Only calls of this kind; `node` is code of a node type' }),
});

export const RunAndKey = z.object({
  id: z.string().openapi({ description: 'The id of the run' }),
  key: z.string().openapi({ description: 'The idempotency key of the call' }),
});

export const CallSchema = z
  .object({
    key: z.string(),
    kind: CallKindSchema,
    name: z.string().openapi({ description: 'Of the model, tool, function or node type' }),
    node: z.string(),
    path: listOf(z.string()).optional(),
    visit: z.int(),
    index: z.int().optional(),
    step: z.int(),
    at: Time.openapi({ description: 'When it was asked for; of a model, when it has ended' }),
    undoes: z.boolean().openapi({ description: 'It undoes another call' }),
    local: z.boolean().openapi({ description: 'The worker of the workflow task has made it itself' }),
    status: z.enum(['running', 'retrying', 'completed', 'failed', 'unknown']),
    request: GivenJson.openapi({
      description:
        'Arguments or, of a model, what was sent after its context was fitted: `system`, `messages` (of more than 64 KiB the latest, and `omitted` says how many are not shown), names of `tools`. Null: it is not known',
    }),
    reply: GivenJson.openapi({
      description:
        'The result, or `{ text, toolCalls, finishReason }`. Null: there is none, or a list leaves it out as it has more than 64 KiB',
    }),
    error: orNull(RunErrorSchema),
    attempts: z.int(),
    failedAttempts: listOf(z.object({ at: Time, error: RunErrorSchema })),
    nextAttemptAt: Time.nullable(),
    durationMs: z.number().nullable(),
    context: z
      .object({ tokens: z.number(), maxTokens: z.number(), dropped: z.int() })
      .nullable()
      .openapi({ description: 'Of a model with a limit: what was sent of it, and how many messages were not' }),
    usage: z.object({ inputTokens: z.int(), outputTokens: z.int() }).nullable(),
    costUsd: z.number().nullable(),
  })
  .openapi('Call', { example: CALL_EXAMPLE });

export const CallListSchema = z
  .object({ items: listOf(CallSchema), nextCursor: NextCursor })
  .openapi('CallList', { example: aPage(CALL_EXAMPLE) });
