import { z } from 'zod';
import {
  MAX_OPTION_LENGTH,
  MODEL_OPTIONS,
  REASONING_EFFORTS,
  TOOL_CHOICES,
} from '../definition/node-types/model-fields.ts';
import type { OptionKind } from '../definition/node-types/model-fields.ts';
import { mapValues } from '../values/collections.ts';
import { describe, Count, Duration, Names, OneOrMore, Retry, Schema, TimeSpan, Values } from './descriptions.ts';
import type { FieldTexts } from './descriptions.ts';
import { NAME } from '../definition/definition.ts';
import type { NodeOfType } from '../definition/definition.ts';
import { EXECUTIONS } from '../definition/call-policy.ts';
import { MEMORY_ACCESS } from '../definition/node-types/offered-tool.ts';
import type { NodeType } from '../definition/node-types/node-types.ts';

const COMMON = {
  description: 'A text for people.',
  write: 'A channel that takes the whole result, or a template for each channel, over `result` and `state`.',
  deadline:
    'The time limit of all attempts together, or of a graph inside. It stands still while only people are awaited.',
  onError: 'The node to continue with after a failure, or "intervene": a person decides. Absent: the run fails.',
  maxVisits: 'The maximum of visits of the node. One more visit is its failure.',
  defer: 'True: the node runs only when no other node is left to run.',
} as const;

const CALL = {
  ...COMMON,
  timeout: 'The time limit of one attempt: "30s", "5m", "2h".',
  retry: 'The number of attempts of a call, and the time between them.',
} as const;

const MODEL = {
  ...CALL,
  model: 'A configured model, or several: each is the fallback of the one before.',
  system: 'A template for the system prompt.',
  prompt: 'A template for the one message that the model is sent.',
  messages: 'A channel of chat messages for the model. Its reply is added there.',
  tools: 'The tools that the model may request: names, memory, or published graphs.',
  output: "JSON Schema of the model's answer, which is `result.object` then.",
  context: 'How the messages are fitted into what the model takes.',
  temperature: 'Handed on to the model.',
  maxOutputTokens: 'The maximum of tokens of one answer.',
  toolChoice:
    'If the model may, must not or must request a tool, or which one. An agent is free again after its first calls.',
  reasoning: 'How long the model thinks before it answers.',
  providerOptions: 'Fields of providers, by provider. A model is sent those of its own provider.',
} as const;

const EXECUTION = 'Where calls run: "activity", or "local" for short idempotent ones.';
const MAY_GOTO = 'Nodes that a command may go to, in addition to the edges.';
const ARGS = 'The arguments: templates, at any depth.';

/** The descriptions of the fields of nodes, by object. The doc comments of the types have the same texts. */
export const NODE_FIELDS = {
  set: COMMON,
  llm: MODEL,
  agent: {
    ...MODEL,
    maxIterations: 'The maximum of model turns that call tools; 5 by default.',
    onMaxIterations:
      'The reaction to `maxIterations` turns without an answer: "answer" (the model answers without tools; the default), "fail", or "intervene": a person decides.',
    approve:
      'By tool: "always", "never", or CEL over the call\'s `args`. It decides if a person must approve the call.',
  },
  tool: {
    ...CALL,
    tool: 'The name of the tool.',
    args: ARGS,
    calls: 'A channel of messages. The node makes the unanswered tool calls of its last assistant message.',
    tools: 'With `calls`: the tools that it may call. Absent: those of the `llm` node that alone writes the channel.',
    execution: EXECUTION,
    compensate: "The call that compensates this node's call when the run fails or is canceled.",
  },
  memory: {
    memory: "A template for the namespace that the model's memory is confined to.",
    access: '"read" (by default) offers `memory_search`; "write" offers `memory_save` as well.',
  },
  graphTool: {
    graph: 'A published graph as a tool, `"name"` or `"name@3"`: the model gives its input, and is told its output.',
    as: 'The name of the tool. Absent: that of the graph.',
    description: 'What the model is told of the tool. Absent: the `description` of the graph.',
  },
  function: {
    ...CALL,
    function: 'The name of the function.',
    args: ARGS,
    execution: EXECUTION,
    mayGoto: MAY_GOTO,
  },
  subgraph: {
    ...COMMON,
    graph: '`"name"`, `"name@3"`, or the definition itself.',
    input: 'Templates for the input channels of the graph inside.',
  },
  wait: {
    ...COMMON,
    for: 'A template for a duration: "30s", "5m", "2h", "7d".',
    until: 'A template for a time (RFC 3339).',
    event: 'A template for the name of an event.',
    timeout: 'With `event`: the time limit of the wait. The result is null then.',
  },
  approval: {
    ...COMMON,
    title: 'A template: the question to the person.',
    details: 'Templates, at any depth: facts for the person who decides.',
    args: 'Templates, at any depth: what is approved. The person may change it.',
    argsSchema:
      'JSON Schema of `args`: of those that are asked about, which fail the node if they break it, and of changed ones.',
    decisionSchema: 'JSON Schema of the values that a decision must bring.',
    policy: 'The people who may decide, and the number of approvals.',
    timeout: 'The time that people have to decide; "7d" by default.',
    onTimeout: 'What no decision in time means; "expire" by default. "fail" is the failure of the node.',
    onReject: '"continue" by default: the result says `rejected`. "fail" is the failure of the node.',
  },
  custom: { ...CALL, execution: EXECUTION, mayGoto: MAY_GOTO },
  onError: {
    to: 'The node to continue with.',
    write: 'A template for each channel, over `error` and `state`.',
  },
  context: {
    maxTokens: 'The maximum of tokens of one request; what the model takes by default.',
    strategy: '"last", "summarize", or message processors in their order.',
  },
  compensate: {
    tool: 'The name of the tool that compensates.',
    args: 'Templates, at any depth, over the `result` of the compensated call and `state`.',
  },
  policy: {
    roles:
      'The roles of which a person needs one. Without roles and users, the permission `approval:decide` is enough.',
    users: 'The people who may decide, whatever their roles.',
    quorum: 'The number of approvals that are needed; 1 by default. One rejection decides.',
    excludeRequester: 'True: the person who started or changed the run may not decide.',
    requireReason: 'True: a decision needs a reason, in words.',
    reminders: 'The times after which webhooks are told of `approval.reminder`, unless it is decided.',
    escalate: 'Roles that may decide after some time; webhooks are told of `approval.escalated` then.',
  },
  escalation: {
    after: 'The time after which these roles may decide, too.',
    roles: 'The roles.',
  },
} as const;

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

const Compensation = describe(z.strictObject({ tool: z.string(), args: z.json().optional() }), NODE_FIELDS.compensate);

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
      args: z.json().optional(),
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
      args: z.json().optional(),
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
      details: z.json().optional(),
      args: z.json().optional(),
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
