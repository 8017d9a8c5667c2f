import { z } from '@hono/zod-openapi';
import { Duration } from '../../graph/schema/index.ts';
import { DURATION_PATTERN } from '../../graph/values/index.ts';
import { GivenJson, GivenRecord, JsonRecord, NodeId, RunErrorSchema, listOf, orNull } from './common.ts';
import { GRAPH_TEST_EXAMPLE, TESTED_GRAPH_EXAMPLE } from './examples/graph-test.ts';

/** Far above what a test says; the time limit of its thread bounds the rest. */
const MAX_ITEMS = 1_000;
const MAX_OUTPUTS = 10_000;
const Text = z.string().min(1).max(255);
const Reason = z.string().max(10_000).optional();
const after = Duration.optional().openapi({
  pattern: DURATION_PATTERN,
  description: 'The time that passes before, which the test skips',
});

const given = {
  node: NodeId.openapi({ description: 'The node that waits; inside a subgraph its own id' }),
  tool: Text.optional().openapi({ description: 'The tool whose call is asked about, where several wait at one node' }),
  by: z
    .union([Text, z.strictObject({ sub: Text, roles: z.array(Text).max(100) })])
    .optional()
    .openapi({ description: 'Who decides; a name alone is a person with all roles that are asked for' }),
  after,
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
      .array(z.strictObject({ name: Text, payload: GivenJson.optional(), after }))
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
    status: z.enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'canceled']),
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
