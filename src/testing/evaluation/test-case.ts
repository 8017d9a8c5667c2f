import { z } from 'zod';
import { findSchemaProblems, isJsonSchema, toPointer } from '../../graph/values/index.ts';
import type { JsonSchema } from '../../graph/values/index.ts';

/* A line of a data set: an input, what is expected of the run, and the answers of models, tools, people and events. */

const Input = z.record(z.string(), z.json());
const Text = z.string();

const Expectations = z.strictObject({
  status: z.enum(['completed', 'failed', 'canceled', 'waiting', 'paused']).default('completed'),
  /** The output; members that are not named may have any value. */
  output: z.json().optional(),
  /** CEL that has to be true, over `result` (the output), `state` and `run` (`status`, `path`, `tools`, `costUsd`). */
  cel: z.union([Text, z.array(Text)]).optional(),
  /** JSON Schema of the output. */
  schema: z
    .custom<JsonSchema>(
      (value) => isJsonSchema(value) && findSchemaProblems(value).length === 0,
      'must be a JSON Schema',
    )
    .optional(),
  /** The nodes in the order in which they begin. */
  path: z.array(Text).optional(),
  maxCostUsd: z.number().min(0).optional(),
});

const Tokens = z.strictObject({ inputTokens: z.number().min(0), outputTokens: z.number().min(0) });
const ToolCall = z.strictObject({ tool: Text, args: z.json(), id: Text.optional() });
const Reply = z.union([
  Text,
  z.strictObject({ error: Text, delay: Text.optional() }),
  z.strictObject({
    text: Text.optional(),
    json: z.json().optional(),
    toolCalls: z.array(ToolCall).optional(),
    usage: Tokens.optional(),
    delay: Text.optional(),
  }),
]);

const Person = z.union([Text, z.strictObject({ sub: Text, roles: z.array(Text) })]);
const decisionFields = { node: Text, tool: Text.optional(), by: Person.optional(), after: Text.optional() };
const Decision = z.discriminatedUnion('decision', [
  z.strictObject({
    ...decisionFields,
    decision: z.literal('approve'),
    args: z.json().optional(),
    values: z.json().optional(),
    reason: Text.optional(),
  }),
  z.strictObject({
    ...decisionFields,
    decision: z.literal('reject'),
    values: z.json().optional(),
    reason: Text.optional(),
  }),
  z.strictObject({ ...decisionFields, decision: z.literal('timeout') }),
  z.strictObject({ ...decisionFields, decision: z.literal('retry') }),
  z.strictObject({ ...decisionFields, decision: z.literal('skip'), output: z.json().optional() }),
  z.strictObject({ ...decisionFields, decision: z.literal('fail'), reason: Text.optional() }),
]);

/** Values are given one a call, in order. */
const Values = z.record(z.string(), z.array(z.json()));

const Answers = z.strictObject({
  models: z.record(z.string(), z.array(Reply)).default({}),
  tools: Values.default({}),
  functions: Values.default({}),
  nodeTypes: Values.default({}),
  decisions: z.array(Decision).default([]),
  events: z.array(z.strictObject({ name: Text, payload: z.json().optional(), after: Text.optional() })).default([]),
});

const Case = z.strictObject({
  name: Text.optional(),
  input: Input.default({}),
  expect: Expectations.prefault({}),
  answers: Answers.prefault({}),
});

export type TestCase = z.output<typeof Case>;
export type Expected = TestCase['expect'];

/** Reads a line of a data set. @throws TypeError that names every problem */
export function readCase(value: unknown): TestCase {
  const parsed = Case.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${toPointer(path.map(String)) || '/'}: ${message}`);
  throw new TypeError(problems.join('; '));
}
