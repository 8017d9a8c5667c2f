import { z } from 'zod';
import {
  MAX_OPTION_LENGTH,
  MODEL_OPTIONS,
  REASONING_EFFORTS,
  TOOL_CHOICES,
} from '../definition/node-types/model-fields.ts';
import type { OptionKind } from '../definition/node-types/model-fields.ts';
import { mapValues } from '../values/collections.ts';
import { describeSchemaFields } from './described-fields.ts';
import type { FieldTexts } from './described-fields.ts';
import { NODE_FIELDS } from './descriptions.ts';
import {
  AnyJsonSchema,
  CountSchema,
  DurationSchema,
  NamesSchema,
  OneOrMoreSchema,
  RetrySchema,
  JsonSchemaSchema,
  TimeSpanSchema,
  JsonValuesSchema,
} from './field-schemas.ts';
import { NAME } from '../definition/definition.ts';
import type { NodeOfType } from '../definition/definition.ts';
import { EXECUTIONS } from '../definition/call-policy.ts';
import { MEMORY_ACCESS } from '../definition/node-types/offered-tool.ts';
import type { NodeType } from '../definition/node-types/node-types.ts';

type ModelOptions = typeof MODEL_OPTIONS;

const PROVIDER_TEXTS = {
  openai: "Of OpenAI's Responses API.",
  anthropic: "Of Anthropic's Messages API.",
  google: "Of Google's generateContent.",
  'openai-compatible': 'Of chat completions.',
} as const satisfies Record<keyof ModelOptions, string>;

const PROVIDER_OPTION_TEXTS: {
  readonly [Provider in keyof ModelOptions]: Record<keyof ModelOptions[Provider], string>;
} = {
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
const ProviderOptionsSchema = describeSchemaFields(
  z.strictObject({
    openai: providerOptionsSchema('openai'),
    anthropic: providerOptionsSchema('anthropic'),
    google: providerOptionsSchema('google'),
    'openai-compatible': providerOptionsSchema('openai-compatible'),
  }),
  PROVIDER_TEXTS,
);

function providerOptionsSchema(provider: keyof ModelOptions): z.ZodType {
  const fields: Readonly<Record<string, OptionKind>> = MODEL_OPTIONS[provider];
  const texts: FieldTexts = PROVIDER_OPTION_TEXTS[provider];
  return describeSchemaFields(
    z.strictObject(mapValues(fields, (kind) => optionSchema(kind).optional())),
    texts,
  ).optional();
}

function optionSchema(kind: OptionKind): z.ZodType {
  if (kind === 'boolean') return z.boolean();
  return kind === 'text' ? z.string().min(1).max(MAX_OPTION_LENGTH) : z.enum(kind);
}

const ExecutionSchema = z.enum(EXECUTIONS);

export const DetourSchema = describeSchemaFields(
  z.strictObject({ to: z.string(), write: JsonValuesSchema.optional() }),
  NODE_FIELDS.onError,
);

const commonShape = {
  description: z.string().optional(),
  write: z.union([z.string(), JsonValuesSchema]).optional(),
  deadline: TimeSpanSchema.optional(),
  onError: z.union([z.literal('intervene'), DetourSchema]).optional(),
  maxVisits: CountSchema.optional(),
  defer: z.boolean().optional(),
};
const callShape = { ...commonShape, timeout: TimeSpanSchema.optional(), retry: RetrySchema.optional() };

const EscalationSchema = describeSchemaFields(
  z.strictObject({ after: DurationSchema, roles: NamesSchema }),
  NODE_FIELDS.escalation,
);

/** The people who may decide an approval. */
export const ApprovalPolicySchema = describeSchemaFields(
  z.strictObject({
    roles: NamesSchema.optional(),
    users: NamesSchema.optional(),
    quorum: CountSchema.optional(),
    excludeRequester: z.boolean().optional(),
    requireReason: z.boolean().optional(),
    reminders: z.array(DurationSchema).optional(),
    escalate: z.array(EscalationSchema).optional(),
  }),
  NODE_FIELDS.policy,
);

const ContextSchema = describeSchemaFields(
  z.strictObject({ maxTokens: CountSchema.optional(), strategy: OneOrMoreSchema.optional() }),
  NODE_FIELDS.context,
);

const ForcedTool = describeSchemaFields(z.strictObject({ tool: z.string() }), {
  tool: 'The tool that the model must request; one of `tools`.',
});
const MemoryToolSchema = describeSchemaFields(
  z.strictObject({ memory: z.string().min(1), access: z.enum(MEMORY_ACCESS).optional() }),
  NODE_FIELDS.memory,
);
const GraphToolSchema = describeSchemaFields(
  z.strictObject({
    graph: z.string().min(1),
    as: z.string().regex(NAME).optional(),
    description: z.string().min(1).optional(),
    args: JsonValuesSchema.optional(),
  }),
  NODE_FIELDS.graphTool,
);
const ConfiguredToolSchema = describeSchemaFields(
  z.strictObject({
    tool: z.string().min(1),
    args: JsonValuesSchema.optional(),
    as: z.string().regex(NAME).optional(),
    description: z.string().min(1).optional(),
  }),
  NODE_FIELDS.configuredTool,
);
const OfferedToolsSchema = z.array(z.union([z.string(), ConfiguredToolSchema, MemoryToolSchema, GraphToolSchema]));

const modelShape = {
  ...callShape,
  model: OneOrMoreSchema.optional(),
  models: NamesSchema.min(1).optional(),
  system: z.string().optional(),
  prompt: z.string().optional(),
  messages: z.string().optional(),
  tools: OfferedToolsSchema.optional(),
  activeTools: z.string().optional(),
  output: JsonSchemaSchema.optional(),
  context: ContextSchema.optional(),
  temperature: z.number().min(0).optional(),
  maxOutputTokens: CountSchema.optional(),
  toolChoice: z.union([z.enum(TOOL_CHOICES), ForcedTool]).optional(),
  reasoning: z.enum(REASONING_EFFORTS).optional(),
  providerOptions: ProviderOptionsSchema.optional(),
};

const CompensationSchema = describeSchemaFields(
  z.strictObject({ tool: z.string(), args: AnyJsonSchema.optional() }),
  NODE_FIELDS.compensate,
);

/** The schema of each node type. The type check requires every field of the type. */
export const NodeSchemas: { readonly [T in NodeType]: SchemaOf<NodeOfType<T>> } = {
  set: describeSchemaFields(z.strictObject({ type: z.literal('set'), ...commonShape }), NODE_FIELDS.set),
  llm: describeSchemaFields(z.strictObject({ type: z.literal('llm'), ...modelShape }), NODE_FIELDS.llm),
  agent: describeSchemaFields(
    z.strictObject({
      type: z.literal('agent'),
      ...modelShape,
      maxIterations: CountSchema.optional(),
      onMaxIterations: z.enum(['answer', 'fail', 'intervene']).optional(),
      approve: z.record(z.string(), z.string()).optional(),
      handoff: NamesSchema.optional(),
    }),
    NODE_FIELDS.agent,
  ),
  tool: describeSchemaFields(
    z.strictObject({
      type: z.literal('tool'),
      ...callShape,
      tool: z.string().optional(),
      args: AnyJsonSchema.optional(),
      calls: z.string().optional(),
      tools: OfferedToolsSchema.optional(),
      execution: ExecutionSchema.optional(),
      mayGoto: NamesSchema.optional(),
      compensate: CompensationSchema.optional(),
    }),
    NODE_FIELDS.tool,
  ),
  function: describeSchemaFields(
    z.strictObject({
      type: z.literal('function'),
      ...callShape,
      function: z.string(),
      args: AnyJsonSchema.optional(),
      execution: ExecutionSchema.optional(),
      mayGoto: NamesSchema.optional(),
    }),
    NODE_FIELDS.function,
  ),
  subgraph: describeSchemaFields(
    z.strictObject({
      type: z.literal('subgraph'),
      ...commonShape,
      graph: z.union([z.string(), z.looseObject({})]),
      input: JsonValuesSchema.optional(),
    }),
    NODE_FIELDS.subgraph,
  ),
  wait: describeSchemaFields(
    z.strictObject({
      type: z.literal('wait'),
      ...commonShape,
      for: z.string().optional(),
      until: z.string().optional(),
      event: z.string().min(1).optional(),
      timeout: DurationSchema.optional(),
    }),
    NODE_FIELDS.wait,
  ),
  approval: describeSchemaFields(
    z.strictObject({
      type: z.literal('approval'),
      ...commonShape,
      title: z.string(),
      details: AnyJsonSchema.optional(),
      args: AnyJsonSchema.optional(),
      argsSchema: JsonSchemaSchema.optional(),
      decisionSchema: JsonSchemaSchema.optional(),
      policy: ApprovalPolicySchema.optional(),
      timeout: TimeSpanSchema.optional(),
      onTimeout: z.enum(['expire', 'reject', 'approve', 'fail']).optional(),
      onReject: z.enum(['continue', 'fail']).optional(),
    }),
    NODE_FIELDS.approval,
  ),
};

type SchemaOf<Node> = z.ZodObject<{ readonly [Field in keyof Node]-?: z.ZodType }>;

/** The common fields of a node of a registered type. The type defines all others. */
export const CustomNodeSchema = describeSchemaFields(
  z.strictObject({
    type: z.string(),
    ...callShape,
    execution: ExecutionSchema.optional(),
    mayGoto: NamesSchema.optional(),
  }),
  NODE_FIELDS.custom,
);
