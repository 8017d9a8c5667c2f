import { z } from 'zod';
import {
  MAX_OPTION_LENGTH,
  MODEL_OPTIONS,
  REASONING_EFFORTS,
  TOOL_CHOICES,
} from '../definition/node-types/model-fields.ts';
import type { OptionKind } from '../definition/node-types/model-fields.ts';
import { mapValues } from '../values/collections.ts';
import { describe } from './described-fields.ts';
import type { FieldTexts } from './described-fields.ts';
import { NODE_FIELDS } from './descriptions.ts';
import { AnyJson, Count, Duration, Names, OneOrMore, Retry, Schema, TimeSpan, Values } from './field-schemas.ts';
import { NAME } from '../definition/definition.ts';
import type { NodeOfType } from '../definition/definition.ts';
import { EXECUTIONS } from '../definition/call-policy.ts';
import { MEMORY_ACCESS } from '../definition/node-types/offered-tool.ts';
import type { NodeType } from '../definition/node-types/node-types.ts';

type Options = typeof MODEL_OPTIONS;

const PROVIDERS = {
  openai: "Of OpenAI's Responses API.",
  anthropic: "Of Anthropic's Messages API.",
  google: "Of Google's generateContent.",
  'openai-compatible': 'Of chat completions.',
} as const satisfies Record<keyof Options, string>;

const TEXTS: { readonly [Provider in keyof Options]: Record<keyof Options[Provider], string> } = {
  openai: {
    parallelToolCalls: 'False: the model requests one tool at a time.',
    textVerbosity: 'How much the model says.',
    promptCacheKey: 'Requests with the same key and beginning share a cache.',
    safetyIdentifier: 'A stable name of the end user, for checks of misuse.',
  },
  anthropic: { disableParallelToolUse: 'True: the model requests one tool at a time.' },
  google: { mediaResolution: 'How closely the model looks at media.' },
  'openai-compatible': { textVerbosity: 'How much the model says.', user: 'A stable name of the end user.' },
};

/** The options of providers that a node may set. */
const ProviderOptions = describe(
  z.strictObject({
    openai: optionsOf('openai'),
    anthropic: optionsOf('anthropic'),
    google: optionsOf('google'),
    'openai-compatible': optionsOf('openai-compatible'),
  }),
  PROVIDERS,
);

function optionsOf(provider: keyof Options): z.ZodType {
  const fields: Readonly<Record<string, OptionKind>> = MODEL_OPTIONS[provider];
  const texts: FieldTexts = TEXTS[provider];
  return describe(z.strictObject(mapValues(fields, (kind) => schemaOf(kind).optional())), texts).optional();
}

function schemaOf(kind: OptionKind): z.ZodType {
  if (kind === 'boolean') return z.boolean();
  return kind === 'text' ? z.string().min(1).max(MAX_OPTION_LENGTH) : z.enum(kind);
}

const Execution = z.enum(EXECUTIONS);

const Continuation = describe(z.strictObject({ to: z.string(), write: Values.optional() }), NODE_FIELDS.onError);

const common = {
  description: z.string().optional(),
  write: z.union([z.string(), Values]).optional(),
  deadline: TimeSpan.optional(),
  onError: z.union([z.literal('intervene'), Continuation]).optional(),
  maxVisits: Count.optional(),
  defer: z.boolean().optional(),
};
const call = { ...common, timeout: TimeSpan.optional(), retry: Retry.optional() };

const Escalation = describe(z.strictObject({ after: Duration, roles: Names }), NODE_FIELDS.escalation);

/** The people who may decide an approval. */
export const Policy = describe(
  z.strictObject({
    roles: Names.optional(),
    users: Names.optional(),
    quorum: Count.optional(),
    excludeRequester: z.boolean().optional(),
    requireReason: z.boolean().optional(),
    reminders: z.array(Duration).optional(),
    escalate: z.array(Escalation).optional(),
  }),
  NODE_FIELDS.policy,
);

const Context = describe(
  z.strictObject({ maxTokens: Count.optional(), strategy: OneOrMore.optional() }),
  NODE_FIELDS.context,
);

const ForcedTool = describe(z.strictObject({ tool: z.string() }), {
  tool: 'The tool that the model must request; one of `tools`.',
});
const Memory = describe(
  z.strictObject({ memory: z.string().min(1), access: z.enum(MEMORY_ACCESS).optional() }),
  NODE_FIELDS.memory,
);
const Graph = describe(
  z.strictObject({
    graph: z.string().min(1),
    as: z.string().regex(NAME).optional(),
    description: z.string().min(1).optional(),
  }),
  NODE_FIELDS.graphTool,
);
const Tools = z.array(z.union([z.string(), Memory, Graph]));

const modelFields = {
  ...call,
  model: OneOrMore.optional(),
  system: z.string().optional(),
  prompt: z.string().optional(),
  messages: z.string().optional(),
  tools: Tools.optional(),
  output: Schema.optional(),
  context: Context.optional(),
  temperature: z.number().min(0).optional(),
  maxOutputTokens: Count.optional(),
  toolChoice: z.union([z.enum(TOOL_CHOICES), ForcedTool]).optional(),
  reasoning: z.enum(REASONING_EFFORTS).optional(),
  providerOptions: ProviderOptions.optional(),
};

const Compensation = describe(z.strictObject({ tool: z.string(), args: AnyJson.optional() }), NODE_FIELDS.compensate);

/** The schema of each node type. The type check requires every field of the type. */
export const NodeSchemas: { readonly [T in NodeType]: SchemaOf<NodeOfType<T>> } = {
  set: describe(z.strictObject({ type: z.literal('set'), ...common }), NODE_FIELDS.set),
  llm: describe(z.strictObject({ type: z.literal('llm'), ...modelFields }), NODE_FIELDS.llm),
  agent: describe(
    z.strictObject({
      type: z.literal('agent'),
      ...modelFields,
      maxIterations: Count.optional(),
      onMaxIterations: z.enum(['answer', 'fail', 'intervene']).optional(),
      approve: z.record(z.string(), z.string()).optional(),
    }),
    NODE_FIELDS.agent,
  ),
  tool: describe(
    z.strictObject({
      type: z.literal('tool'),
      ...call,
      tool: z.string().optional(),
      args: AnyJson.optional(),
      calls: z.string().optional(),
      tools: Tools.optional(),
      execution: Execution.optional(),
      compensate: Compensation.optional(),
    }),
    NODE_FIELDS.tool,
  ),
  function: describe(
    z.strictObject({
      type: z.literal('function'),
      ...call,
      function: z.string(),
      args: AnyJson.optional(),
      execution: Execution.optional(),
      mayGoto: Names.optional(),
    }),
    NODE_FIELDS.function,
  ),
  subgraph: describe(
    z.strictObject({
      type: z.literal('subgraph'),
      ...common,
      graph: z.union([z.string(), z.looseObject({})]),
      input: Values.optional(),
    }),
    NODE_FIELDS.subgraph,
  ),
  wait: describe(
    z.strictObject({
      type: z.literal('wait'),
      ...common,
      for: z.string().optional(),
      until: z.string().optional(),
      event: z.string().min(1).optional(),
      timeout: Duration.optional(),
    }),
    NODE_FIELDS.wait,
  ),
  approval: describe(
    z.strictObject({
      type: z.literal('approval'),
      ...common,
      title: z.string(),
      details: AnyJson.optional(),
      args: AnyJson.optional(),
      argsSchema: Schema.optional(),
      decisionSchema: Schema.optional(),
      policy: Policy.optional(),
      timeout: TimeSpan.optional(),
      onTimeout: z.enum(['expire', 'reject', 'approve', 'fail']).optional(),
      onReject: z.enum(['continue', 'fail']).optional(),
    }),
    NODE_FIELDS.approval,
  ),
};

type SchemaOf<Node> = z.ZodObject<{ readonly [Field in keyof Node]-?: z.ZodType }>;

/** The common fields of a node of a registered type. The type defines all others. */
export const CustomNodeSchema = describe(
  z.strictObject({ type: z.string(), ...call, execution: Execution.optional(), mayGoto: Names.optional() }),
  NODE_FIELDS.custom,
);
