import { DEFINITION_EXAMPLE, EVENT_EXAMPLES, INTERVENTION_EXAMPLE, RUN_ID } from './examples.ts';
import {
  GivenJson,
  NodeId,
  PageQuery,
  RunErrorSchema,
  Time,
  digitsBetween,
  listOf,
  orNull,
  GivenRecord,
  FilterTime,
  pageOf,
} from './common.ts';
import { z } from './zod.ts';

/* Examples: the calls of the refund of the other examples. */

const CALL_EXAMPLE = {
  key: INTERVENTION_EXAMPLE.idempotencyKey,
  kind: 'tool',
  name: INTERVENTION_EXAMPLE.tool,
  node: INTERVENTION_EXAMPLE.node,
  visit: 1,
  step: 1,
  at: INTERVENTION_EXAMPLE.since,
  undoes: false,
  local: false,
  status: 'completed',
  request: INTERVENTION_EXAMPLE.args,
  reply: { id: 'refund_ef500e52', amount: 50 },
  error: null,
  attempts: 2,
  failedAttempts: [
    {
      at: INTERVENTION_EXAMPLE.since,
      error: { code: 'TOOL_FAILED', message: 'issue_refund answered 503', attempts: 1 },
    },
  ],
  nextAttemptAt: null,
  durationMs: 1_204,
  context: null,
  usage: null,
  costUsd: null,
};

const CallKindSchema = z.enum(['model', 'tool', 'function', 'node']);

/** The page size is small, because each call may have a large request and result. */
const MAX_CALLS = 50;

export const CallQuery = PageQuery.extend({
  limit: digitsBetween(MAX_CALLS).default(20).openapi({ default: 20, description: 'So many calls at most' }),
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

export const CallListSchema = pageOf('CallList', CallSchema, CALL_EXAMPLE);

const RECORDING_EXAMPLE = {
  identity: { id: RUN_ID, startedBy: 'uma' },
  definition: DEFINITION_EXAMPLE,
  catalog: {},
  redaction: {},
  begin: { input: { number: 'A-1001' } },
  events: EVENT_EXAMPLES,
  occurrences: [],
  answers: {},
};

/** The format of a recording belongs to the engine; `holdfast promote` turns it into a test. */
export const RecordingSchema = z
  .object({
    identity: GivenRecord.openapi({ description: 'Who started which graph, and the limits of the run' }),
    definition: GivenRecord.openapi({ description: 'The graph as the run has pinned it' }),
    catalog: GivenRecord.openapi({ description: 'Models, tools and functions as the run has pinned them' }),
    redaction: GivenRecord.openapi({ description: 'What callers without `payload:read` do not see of the run' }),
    begin: GivenRecord.openapi({ description: 'The input, or the state that a fork began with' }),
    events: listOf(GivenRecord),
    occurrences: listOf(GivenRecord).openapi({ description: 'What happened to the run, in order' }),
    answers: z.record(z.string(), GivenRecord).openapi({ description: 'The answers of its calls, by their keys' }),
  })
  .openapi('Recording', { example: RECORDING_EXAMPLE });
