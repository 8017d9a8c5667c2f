import {
  digitsBetween,
  GivenJson,
  listOf,
  Time,
  GivenRecord,
  JsonRecord,
  NodeId,
  RunErrorSchema,
  orNull,
  pageOf,
} from './common.ts';
import { RunStatusSchema } from './run.ts';
import { DurationSchema } from '../../graph/schema/index.ts';
import { DURATION_PATTERN } from '../../graph/values/index.ts';
import { z } from './zod.ts';

const MAX_VERSION = 999_999_999;

export const GraphName = z.object({ name: z.string().openapi({ description: 'The name of the graph' }) });
export const NameAndVersion = GraphName.extend({
  version: digitsBetween(MAX_VERSION).openapi({ description: 'Its version, from 1' }),
});
export const NameAndAlias = GraphName.extend({
  alias: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, 'A letter comes first, then letters, digits, "_" and "-", 63 in all')
    .openapi({ description: 'A letter, then letters, digits, "_" and "-"' }),
});

export const DiffQuery = z.strictObject({
  from: digitsBetween(MAX_VERSION).openapi({ description: 'The version before' }),
  to: digitsBetween(MAX_VERSION).openapi({ description: 'The version after' }),
});

const changeSchema = <Kind extends string, Sides extends z.ZodRawShape>(kind: Kind, sides: Sides) =>
  z.object({
    kind: z.literal(kind),
    path: z.string().openapi({ description: 'JSON Pointer; of what is removed, into the version before' }),
    ...sides,
  });

const GRAPH_DIFF_EXAMPLE = {
  name: 'order-summary',
  from: 1,
  to: 2,
  changes: [
    {
      kind: 'changed',
      path: '/nodes/summarize/write',
      before: { summary: '{{ state.order.item }}' },
      after: { summary: '{{ state.order.item }} for {{ state.order.total }} USD' },
    },
    { kind: 'added', path: '/limits/maxSteps', after: 10 },
  ],
};

export const GraphDiffSchema = z
  .object({
    name: z.string(),
    from: z.int(),
    to: z.int(),
    changes: listOf(
      z.discriminatedUnion('kind', [
        changeSchema('added', { after: GivenJson }),
        changeSchema('removed', { before: GivenJson }),
        changeSchema('changed', { before: GivenJson, after: GivenJson }),
      ]),
    ),
  })
  .openapi('GraphDiff', { example: GRAPH_DIFF_EXAMPLE });

const VersionNumber = z.int().min(1).max(MAX_VERSION);

export const NewAliasSchema = z
  .strictObject({
    version: VersionNumber,
    canary: z
      .strictObject({
        version: VersionNumber,
        share: z.number().min(0).max(1).openapi({ description: 'The part of new runs that get this version' }),
      })
      .optional(),
  })
  .openapi('NewGraphAlias', { example: { version: 1, canary: { version: 2, share: 0.1 } } });

const GRAPH_ALIAS_EXAMPLE = {
  name: 'order-summary',
  alias: 'live',
  version: 1,
  canary: { version: 2, share: 0.1 },
  updatedAt: '2026-11-24T09:05:00.000Z',
  by: 'uma',
};

export const GraphAliasSchema = z
  .object({
    name: z.string(),
    alias: z.string(),
    version: z.int(),
    canary: z.object({ version: z.int(), share: z.number() }).nullable(),
    updatedAt: Time,
    by: z.string(),
  })
  .openapi('GraphAlias', { example: GRAPH_ALIAS_EXAMPLE });

export const GraphAliasListSchema = pageOf('GraphAliasList', GraphAliasSchema, GRAPH_ALIAS_EXAMPLE);

const ORDER = { item: 'a lamp', total: 40 };

/** A test of the first graph in the README. */
const GRAPH_TEST_EXAMPLE = {
  input: { number: 'A-1' },
  outputs: { lookup: [{ orders: [ORDER] }] },
  decisions: [],
  events: [],
  expect: { path: ['lookup', 'summarize'], state: { summary: 'a lamp' } },
};

const TESTED_GRAPH_EXAMPLE = {
  status: 'completed',
  path: ['lookup', 'summarize'],
  steps: [['lookup'], ['summarize']],
  state: { number: 'A-1', order: ORDER, summary: 'a lamp' },
  output: { summary: 'a lamp' },
  error: null,
  mismatch: null,
};

/** Far more than a test needs; the time limit of its thread bounds the rest. */
const MAX_ITEMS = 1_000;
const MAX_OUTPUTS = 10_000;
const TextOfTest = z.string().min(1).max(255);
const Reason = z.string().max(10_000).optional();
const afterSeconds = DurationSchema.optional().openapi({
  pattern: DURATION_PATTERN,
  description: 'The time that passes before, which the test skips',
});

const given = {
  node: NodeId.openapi({ description: 'The node that waits; inside a subgraph its own id' }),
  tool: TextOfTest.optional().openapi({
    description: 'The tool whose call is asked about, where several wait at one node',
  }),
  by: z
    .union([TextOfTest, z.strictObject({ sub: TextOfTest, roles: z.array(TextOfTest).max(100) })])
    .optional()
    .openapi({ description: 'Who decides; a name alone is a person with all roles that are asked for' }),
  after: afterSeconds,
};

const DecisionSchema = z.discriminatedUnion('decision', [
  z.strictObject({
    ...given,
    decision: z.literal('approve'),
    args: GivenJson.optional(),
    values: GivenJson.optional(),
    reason: Reason,
  }),
  z.strictObject({ ...given, decision: z.literal('reject'), values: GivenJson.optional(), reason: Reason }),
  z.strictObject({ ...given, decision: z.literal('timeout') }).openapi({
    description: 'The time-out of an approval or of a wait for an event comes',
  }),
  z.strictObject({ ...given, decision: z.literal('retry') }),
  z.strictObject({ ...given, decision: z.literal('skip'), output: GivenJson.optional() }),
  z.strictObject({ ...given, decision: z.literal('fail'), reason: Reason }),
]);

export const GraphReference = z.object({
  name: z.string().openapi({ description: '`name`, `name@version` or `name@alias`' }),
});

export const NewGraphTestSchema = z
  .strictObject({
    input: JsonRecord.default({}),
    outputs: JsonRecord.refine(
      (outputs) => Object.values(outputs).every((list) => Array.isArray(list) && list.length <= MAX_OUTPUTS),
      `Each node has a list of ${MAX_OUTPUTS} outputs at most`,
    )
      .default({})
      .openapi({
        additionalProperties: { type: 'array', maxItems: MAX_OUTPUTS, items: {} },
        description:
          'By node, the answers to its calls, one a call. Of a model a text, `{ text?, json?, toolCalls? }`, or the JSON that it says; of anything else its result. `{ "$error": "…" }` fails the call',
      }),
    decisions: z.array(DecisionSchema).max(MAX_ITEMS).default([]),
    events: z
      .array(z.strictObject({ name: TextOfTest, payload: GivenJson.optional(), after: afterSeconds }))
      .max(MAX_ITEMS)
      .default([]),
    expect: z
      .strictObject({
        path: z.array(z.string()).max(10_000).optional(),
        state: JsonRecord.optional().openapi({ description: 'Channels that are not named may have any value' }),
      })
      .default({}),
  })
  .openapi('NewGraphTest', { example: GRAPH_TEST_EXAMPLE });

export const TestedGraphSchema = z
  .object({
    status: z.enum(RunStatusSchema.options),
    path: listOf(z.string()).openapi({ description: 'Nodes as they began; one inside a subgraph is `outer/inner`' }),
    steps: listOf(listOf(z.string())).openapi({ description: 'The nodes of each superstep' }),
    state: GivenRecord,
    output: GivenJson,
    error: orNull(RunErrorSchema),
    mismatch: orNull(
      z.object({
        kind: z.enum(['output', 'approval', 'intervention', 'event', 'pause', 'path', 'state']),
        node: z.string().nullable(),
        message: z.string(),
        expected: GivenJson,
        actual: GivenJson,
      }),
    ).openapi({ description: 'What the test lacks, or what is not as expected; null: nothing' }),
  })
  .openapi('TestedGraph', { example: TESTED_GRAPH_EXAMPLE });
