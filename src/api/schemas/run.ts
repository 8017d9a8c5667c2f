import type { RunEvent } from '../../graph/journal/index.ts';
import { isJsonObject } from '../../graph/values/index.ts';
import {
  digitsBetween,
  GivenJson,
  GivenRecord,
  JsonRecord,
  listOf,
  NodeId,
  orNull,
  PageQuery,
  RunErrorSchema,
  RunLimits,
  Time,
  FilterTime,
  pageOf,
  statusFilter,
} from './common.ts';
import { DefinitionSchema } from './graph.ts';
import { interventionFields } from './approval.ts';
import { ASKED_AT, EVENT_EXAMPLES, RUN_EXAMPLE, RUN_ID, DECIDED_AT } from './examples.ts';
import { z } from './zod.ts';

export const RunStatusSchema = z
  .enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'canceled'])
  .openapi('RunStatus');

const UsageSchema = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  costUsd: z.number(),
  modelCalls: z.int(),
  toolCalls: z.int(),
});

const EventSchema = z.custom<RunEvent>(isJsonObject).openapi('Event', {
  type: 'object',
  properties: {
    seq: { type: 'integer' },
    type: { type: 'string' },
    at: { type: 'string', format: 'date-time' },
    step: { type: 'integer' },
    node: { type: 'string' },
    visit: { type: 'integer' },
    index: { type: 'integer' },
  },
  required: ['seq', 'type', 'at', 'step'],
  additionalProperties: true,
});

export const RunSchema = z
  .object({
    id: z.string(),
    status: RunStatusSchema,
    graph: z.object({ name: z.string(), version: z.int().nullable(), hash: z.string() }),
    threadId: z.string().nullable(),
    parentRunId: z.string().nullable(),
    forks: listOf(z.string()),
    replayOf: z.string().nullable(),
    divergence: z
      .object({ seq: z.int(), expected: orNull(EventSchema), actual: orNull(EventSchema) })
      .nullable()
      .openapi({ description: 'Of a replay: the first event that is not as it was recorded' }),
    step: z.int(),
    next: listOf(z.string()),
    waitingFor: listOf(
      z.union([
        z.object({
          kind: z.enum(['approval', 'event', 'timer']),
          node: z.string(),
          id: z.string().optional(),
          since: Time,
          deadline: Time.optional(),
        }),
        z.object({ kind: z.literal('intervention'), ...interventionFields }),
      ]),
    ),
    retrying: listOf(
      z.object({
        node: z.string(),
        index: z.int().optional(),
        attempt: z.int(),
        lastError: orNull(RunErrorSchema),
        nextAttemptAt: Time.nullable(),
      }),
    ),
    pending: z
      .object({ reason: z.string(), since: Time })
      .nullable()
      .openapi({ description: 'Why the run could not be handed over to Temporal yet; it is tried again' }),
    input: GivenRecord,
    output: GivenJson,
    error: orNull(RunErrorSchema),
    usage: UsageSchema,
    limits: GivenRecord,
    metadata: GivenRecord,
    createdBy: z.string(),
    createdAt: Time,
    startedAt: Time.nullable(),
    endedAt: Time.nullable(),
    lastSeq: z.int().openapi({ description: 'The `seq` of its last event; 0 before its first' }),
    workflowId: z.string(),
  })
  .openapi('Run', { example: RUN_EXAMPLE });

export const RunListSchema = pageOf('RunList', RunSchema, RUN_EXAMPLE);

/** The id is part of URLs and of search attributes in Temporal. */
export const ThreadId = z
  .string()
  .min(1)
  .max(255)
  .refine((id) => id.isWellFormed() && !/\p{Cc}|^\.\.?$/u.test(id), 'No control characters, and neither "." nor ".."');

export const OnBusy = z
  .enum(['reject', 'enqueue', 'interrupt'])
  .default('reject')
  .openapi({ description: 'What happens while another run of the thread is not over' });

/** The same as the most nodes of a definition. */
const MAX_BREAKPOINTS = 2_000;
const Breakpoints = z.array(z.string()).max(MAX_BREAKPOINTS);

export const NewRunSchema = z
  .strictObject({
    graph: z
      .union([z.string().min(1), DefinitionSchema], {
        error: ({ input }) => (input === undefined ? 'The field "graph" is missing' : undefined),
      })
      .openapi({
        description:
          '"name", "name@3", "name@alias" or a whole definition; one with the content of a published version is that version',
      }),
    input: JsonRecord.default({}),
    limits: RunLimits.optional().openapi({ description: "May only tighten the graph's" }),
    metadata: JsonRecord.default({}),
    threadId: ThreadId.optional().openapi({ description: 'The conversation that the run goes on with' }),
    onBusy: OnBusy,
    interruptBefore: Breakpoints.optional().openapi({ description: 'Node ids, or ["*"]' }),
    interruptAfter: Breakpoints.optional(),
    startAt: NodeId.optional().openapi({ description: 'A node to begin with instead of the entry' }),
  })
  .openapi('NewRun', { example: { graph: 'order-summary', input: { number: 'A-1001' } } });

const STATE_EXAMPLE = {
  values: { number: 'A-1002', amount: 100, decision: null, refund: null },
  next: ['ask'],
  checkpoint: `${RUN_ID}.c1`,
  pending: [],
  visited: ['ask'],
};

export const StateSchema = z
  .object({
    values: GivenRecord,
    next: listOf(z.string()),
    checkpoint: z.string().nullable(),
    pending: listOf(z.object({ node: z.string(), index: z.int().optional(), update: GivenRecord })),
    visited: listOf(z.string()),
  })
  .openapi('State', { example: STATE_EXAMPLE });

export const EditSchema = z
  .strictObject({ values: JsonRecord, asNode: NodeId.optional() })
  .openapi('StateEdit', { example: { values: { number: 'A-1002' }, asNode: 'lookup' } });

export const ForkSchema = z
  .strictObject({
    checkpoint: z.string().min(1),
    values: JsonRecord.optional(),
    asNode: NodeId.optional(),
    graph: z
      .union([z.string().min(1), DefinitionSchema])
      .optional()
      .openapi({ description: 'Another graph, version or alias to go on with' }),
  })
  .openapi('Fork', { example: { checkpoint: '01M800DS5H3S0K45KZZAHT8S14.c1', values: { number: 'A-1002' } } });

export const ReplaySchema = z
  .strictObject({
    graph: z
      .union([z.string().min(1), DefinitionSchema])
      .optional()
      .openapi({ description: 'Another graph, version or alias, on the same answers' }),
    input: JsonRecord.optional().openapi({ description: 'Another input, on the same answers' }),
  })
  .openapi('Replay', { example: { graph: 'order-summary@2' } });

const SideSchema = z.object({
  runId: z.string(),
  status: RunStatusSchema,
  path: listOf(listOf(z.string())).openapi({ description: 'The nodes of each superstep since the runs parted' }),
  decisions: listOf(
    z.object({
      node: z.string(),
      approvalId: z.string(),
      decision: z.string(),
      by: z.string(),
      reason: z.string().nullable(),
      at: Time,
    }),
  ),
  isComplete: z.boolean().openapi({ description: 'False: `path` and `decisions` have the first 10,000 and no more' }),
  usage: UsageSchema,
});

const SIDE = {
  runId: RUN_ID,
  status: 'completed',
  path: [['ask'], ['pay']],
  decisions: [],
  isComplete: true,
  usage: RUN_EXAMPLE.usage,
};

const DIFF_EXAMPLE = {
  common: { runId: RUN_ID, checkpoint: `${RUN_ID}.c1`, step: -1 },
  left: SIDE,
  right: { ...SIDE, runId: '01M800E1XW0T9K3Q5V7Z2B4D6F' },
  state: [{ channel: 'amount', left: 100, right: 80 }],
};

export const DiffSchema = z
  .object({
    common: z
      .object({ runId: z.string(), checkpoint: z.string(), step: z.int() })
      .nullable()
      .openapi({ description: 'The last checkpoint that both go back to; null: they have none' }),
    left: SideSchema,
    right: SideSchema,
    state: listOf(z.object({ channel: z.string(), left: GivenJson, right: GivenJson })),
  })
  .openapi('RunDiff', { example: DIFF_EXAMPLE });

const CHECKPOINT_EXAMPLE = {
  id: `${RUN_ID}.c1`,
  runId: RUN_ID,
  parentId: null,
  step: -1,
  source: 'input',
  next: ['ask'],
  values: { number: 'A-1002', amount: 100, decision: null, refund: null },
  createdAt: ASKED_AT,
};

export const CheckpointSchema = z
  .object({
    id: z.string(),
    runId: z.string(),
    parentId: z.string().nullable(),
    step: z.int(),
    source: z.enum(['input', 'loop', 'update', 'fork']),
    next: listOf(z.string()),
    values: GivenRecord,
    createdAt: Time,
  })
  .openapi('Checkpoint', { example: CHECKPOINT_EXAMPLE });

export const CheckpointListSchema = pageOf('CheckpointList', CheckpointSchema, CHECKPOINT_EXAMPLE);

const MAX_HISTORY_LIMIT = 1_000;

/** Events are many and small, so their pages may have more entries than others. */
export const HistoryQuery = PageQuery.extend({
  limit: digitsBetween(MAX_HISTORY_LIMIT).default(50).openapi({
    default: 50,
    description: 'So many events at most; fewer where these are large: a page ends at 8 MiB, and `nextCursor` goes on',
  }),
  after: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,8})$/, 'The number of an event is expected here, in digits only')
    .transform(Number)
    .optional()
    .openapi({
      type: 'integer',
      minimum: 0,
      maximum: 999_999_999,
      description: 'Only events behind the one with this `seq`: what is new to whoever knows the others',
    }),
});

export const HistorySchema = pageOf('History', EventSchema, ...EVENT_EXAMPLES);

const METADATA_PAIR = /^[^:]+:/;

const MetadataPair = z
  .string()
  .regex(METADATA_PAIR, 'A field of the metadata is expected here, ":" and its value')
  .transform((pair): readonly [string, string] => {
    const end = pair.indexOf(':');
    return [pair.slice(0, end), pair.slice(end + 1)];
  });

/** The filters of lists of runs. */
export const RunFilter = z.object({
  status: statusFilter(RunStatusSchema, 'runs'),
  graph: z.string().optional().openapi({ description: 'Only runs of the graph with this name' }),
  threadId: z.string().optional().openapi({ description: 'Only runs of this thread' }),
  parentRunId: z.string().optional().openapi({ description: 'Only forks of this run' }),
  createdAfter: FilterTime.openapi({ description: 'Only runs that began after this time (RFC 3339)' }),
  createdBefore: FilterTime.openapi({ description: 'Only runs that began before this time (RFC 3339)' }),
  metadata: listOfValues(MetadataPair, METADATA_PAIR, 10).optional().openapi({
    description:
      'Only runs with this text, number or truth value in their metadata, such as `order:A-1`; it may be repeated, and all have to be there',
  }),
});

/** A query parameter that may be repeated: a single value arrives as a string, several as a list. */
function listOfValues<T extends z.ZodType>(one: T, pattern: RegExp, most: number) {
  const toList = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given]);
  return z
    .preprocess(toList, z.array(one).max(most))
    .openapi({ type: 'array', maxItems: most, items: { type: 'string', pattern: pattern.source } });
}

const THREAD_EXAMPLE = {
  id: 'customer-17',
  activeRunId: RUN_ID,
  lastRunId: RUN_ID,
  queued: [],
  createdAt: ASKED_AT,
  updatedAt: DECIDED_AT,
};

export const ThreadSchema = z
  .object({
    id: z.string(),
    activeRunId: z.string().nullable().openapi({ description: 'The one run that is not over yet' }),
    lastRunId: z.string().openapi({ description: 'The run whose state is the state of the thread' }),
    queued: listOf(z.string()).openapi({ description: 'Runs that wait for their turn, the next one first' }),
    createdAt: Time,
    updatedAt: Time,
  })
  .openapi('Thread', { example: THREAD_EXAMPLE });
