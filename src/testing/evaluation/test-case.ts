import { z } from 'zod';
import { findSchemaProblems, isJsonSchema, toPointer } from '../../graph/values/index.ts';
import type { JsonSchema } from '../../graph/values/index.ts';
import { JudgeSchema } from './judge.ts';

/* A line of a data set: an input, what is expected of the run, and the answers of models, tools, people and events. */

const InputSchema = z.record(z.string(), z.json());
const TextSchema = z.string();

const ExpectationsSchema = z.strictObject({
  status: z.enum(['completed', 'failed', 'canceled', 'waiting', 'paused']).default('completed'),
  /** The output; members that are not named may have any value. */
  output: z.json().optional(),
  /** CEL that has to be true, over `result` (the output), `state` and `run` (`status`, `path`, `tools`, `costUsd`). */
  cel: z.union([TextSchema, z.array(TextSchema)]).optional(),
  /** JSON Schema of the output. */
  schema: z
    .custom<JsonSchema>(
      (value) => isJsonSchema(value) && findSchemaProblems(value).length === 0,
      'must be a JSON Schema',
    )
    .optional(),
  /** The nodes in the order in which they begin. */
  path: z.array(TextSchema).optional(),
  maxCostUsd: z.number().min(0).optional(),
  /** Models that score the run. */
  judge: z.preprocess((judge) => (Array.isArray(judge) ? judge : [judge]), z.array(JudgeSchema)).default([]),
});

const TokensSchema = z.strictObject({ inputTokens: z.number().min(0), outputTokens: z.number().min(0) });
const ToolCallSchema = z.strictObject({ tool: TextSchema, args: z.json(), id: TextSchema.optional() });
const ReplySchema = z.union([
  TextSchema,
  z.strictObject({ error: TextSchema, delay: TextSchema.optional() }),
  z.strictObject({
    text: TextSchema.optional(),
    json: z.json().optional(),
    toolCalls: z.array(ToolCallSchema).optional(),
    usage: TokensSchema.optional(),
    delay: TextSchema.optional(),
  }),
]);

const PersonSchema = z.union([TextSchema, z.strictObject({ sub: TextSchema, roles: z.array(TextSchema) })]);
const decisionFields = {
  node: TextSchema,
  tool: TextSchema.optional(),
  by: PersonSchema.optional(),
  after: TextSchema.optional(),
};
const TestDecisionSchema = z.discriminatedUnion('decision', [
  z.strictObject({
    ...decisionFields,
    decision: z.literal('approve'),
    args: z.json().optional(),
    values: z.json().optional(),
    reason: TextSchema.optional(),
  }),
  z.strictObject({
    ...decisionFields,
    decision: z.literal('reject'),
    values: z.json().optional(),
    reason: TextSchema.optional(),
  }),
  z.strictObject({ ...decisionFields, decision: z.literal('timeout') }),
  z.strictObject({ ...decisionFields, decision: z.literal('retry') }),
  z.strictObject({ ...decisionFields, decision: z.literal('skip'), output: z.json().optional() }),
  z.strictObject({ ...decisionFields, decision: z.literal('fail'), reason: TextSchema.optional() }),
]);

/** Values are given one a call, in order. */
const ValuesByNameSchema = z.record(z.string(), z.array(z.json()));

const AnswersSchema = z.strictObject({
  models: z.record(z.string(), z.array(ReplySchema)).default({}),
  tools: ValuesByNameSchema.default({}),
  functions: ValuesByNameSchema.default({}),
  nodeTypes: ValuesByNameSchema.default({}),
  /** The answers of the judges, one each, in their order. */
  judges: z.array(ReplySchema).default([]),
  decisions: z.array(TestDecisionSchema).default([]),
  events: z
    .array(z.strictObject({ name: TextSchema, payload: z.json().optional(), after: TextSchema.optional() }))
    .default([]),
});

const CaseSchema = z.strictObject({
  name: TextSchema.optional(),
  input: InputSchema.default({}),
  expect: ExpectationsSchema.prefault({}),
  answers: AnswersSchema.prefault({}),
});

export type TestCase = z.output<typeof CaseSchema>;
export type ExpectedOutcome = TestCase['expect'];

/** Reads a line of a data set. @throws TypeError that names every problem */
export function readTestCase(value: unknown): TestCase {
  const parsed = CaseSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${toPointer(path.map(String)) || '/'}: ${message}`);
  throw new TypeError(problems.join('; '));
}
