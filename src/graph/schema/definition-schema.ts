import { z } from 'zod';
import type { NodeOfType, EdgeKind } from '../definition/definition.ts';
import { EXECUTIONS } from '../definition/execution.ts';
import { LIMITS } from '../definition/limits.ts';
import type { LimitValue } from '../definition/limits.ts';
import type { NodeType } from '../definition/node-types/node-types.ts';
import { MESSAGE_ROLES } from '../definition/message.ts';
import { REDUCERS } from '../definition/reducers.ts';
import { mapValues } from '../values/collections.ts';
import { parseDuration } from '../values/duration.ts';
import { describe } from './field-texts.ts';
import { GRAPH_FIELDS } from './descriptions.ts';
import { NODE_FIELDS } from './node-descriptions.ts';

/*
 * The shape of a definition. In `src/graph`, only `schema/` runs code of zod, and no workflow imports it.
 * The kind of a node or edge is found before parsing, so that errors are about the right kind.
 */

/** Sets the issue code of a refusal. All other refusals of a schema have the code `INVALID_FIELD`. */
const coded = (code: string): { params: { code: string } } => ({ params: { code } });

/** A text that `parseDuration` accepts. */
export const Duration = z.string().refine((text) => parseDuration(text) !== null, {
  error: ({ input }) => `"${String(input)}" is no duration such as "250ms", "30s", "5m", "2h" or "7d"`,
  ...coded('INVALID_DURATION'),
});
/** A duration above zero, for limits: a limit of zero would end everything at once. */
export const TimeSpan = Duration.refine((text) => parseDuration(text) !== 0, {
  error: ({ input }) => `"${String(input)}" leaves no time for it`,
  ...coded('INVALID_DURATION'),
});
const Count = z.int().min(1);
const Execution = z.enum(EXECUTIONS);
const Names = z.array(z.string());
const OneOrMore = z.union([z.string(), z.array(z.string()).min(1)]);
const Schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
const Values = z.record(z.string(), z.json());

/** The attempts of a call, and the time between them. */
export const Retry = describe(
  z.strictObject({
    maxAttempts: Count.optional(),
    initialInterval: Duration.optional(),
    backoffCoefficient: z.number().min(1).optional(),
    maxInterval: Duration.optional(),
    nonRetryable: Names.optional(),
  }),
  GRAPH_FIELDS.retry,
);

const Reducer = z.union([
  z.enum(Object.keys(REDUCERS)),
  describe(z.strictObject({ expr: z.string() }), GRAPH_FIELDS.reducer),
]);

const Channel = describe(
  z.strictObject({
    reducer: Reducer.optional(),
    default: z.json().optional(),
    schema: Schema.optional(),
    ephemeral: z.boolean().optional(),
    redact: z.boolean().optional(),
    roles: z.array(z.enum(MESSAGE_ROLES)).optional(),
    description: z.string().optional(),
  }),
  GRAPH_FIELDS.channel,
);

const LIMIT_VALUES: Readonly<Record<LimitValue, z.ZodType>> = {
  count: Count,
  countOrNone: z.int().min(0),
  amount: z.number().min(0),
  duration: Duration,
};

export const Limits = z.strictObject(
  mapValues(LIMITS, ({ value, description }) => LIMIT_VALUES[value].optional().describe(description)),
);

const Defaults = describe(
  z.strictObject({ model: OneOrMore.optional(), timeout: TimeSpan.optional(), retry: Retry.optional() }),
  GRAPH_FIELDS.defaults,
);

/** The definition without its nodes and edges, which have schemas of their own. */
export const GraphSchema = describe(
  z.strictObject({
    $schema: z.string().optional(),
    name: z.string(),
    description: z.string().optional(),
    channels: z.record(z.string(), Channel).optional(),
    nodes: z.record(z.string(), z.looseObject({ type: z.string() })),
    edges: z.array(z.looseObject({})),
    input: Names.optional(),
    required: Names.optional(),
    output: Names.optional(),
    interruptBefore: Names.optional(),
    interruptAfter: Names.optional(),
    limits: Limits.optional(),
    defaults: Defaults.optional(),
    onCancel: z.string().optional(),
  }),
  GRAPH_FIELDS.graph,
);

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

const modelFields = {
  ...call,
  model: OneOrMore.optional(),
  system: z.string().optional(),
  prompt: z.string().optional(),
  messages: z.string().optional(),
  tools: Names.optional(),
  output: Schema.optional(),
  context: Context.optional(),
  temperature: z.number().min(0).optional(),
  maxOutputTokens: Count.optional(),
};

const Compensation = describe(z.strictObject({ tool: z.string(), args: z.json().optional() }), NODE_FIELDS.compensate);

/** The schema of each node type. The compiler asks for every field of the type. */
export const NodeSchemas: { readonly [T in NodeType]: SchemaOf<NodeOfType<T>> } = {
  set: describe(z.strictObject({ type: z.literal('set'), ...common }), NODE_FIELDS.set),
  llm: describe(z.strictObject({ type: z.literal('llm'), ...modelFields }), NODE_FIELDS.llm),
  agent: describe(
    z.strictObject({
      type: z.literal('agent'),
      ...modelFields,
      maxIterations: Count.optional(),
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
      tools: Names.optional(),
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

const Branch = describe(z.strictObject({ when: z.string().optional(), to: OneOrMore }), GRAPH_FIELDS.branch);

export const EdgeSchemas = {
  plain: describe(z.strictObject({ from: OneOrMore, to: OneOrMore }), GRAPH_FIELDS.plain),
  branches: describe(
    z.strictObject({
      from: OneOrMore,
      branches: z.array(Branch).min(1),
    }),
    GRAPH_FIELDS.branches,
  ),
  route: describe(
    z.strictObject({
      from: OneOrMore,
      route: z.string(),
      paths: z.record(z.string(), OneOrMore),
      default: OneOrMore.optional(),
    }),
    GRAPH_FIELDS.route,
  ),
  forEach: describe(
    z.strictObject({
      from: OneOrMore,
      forEach: z.string(),
      to: z.string(),
      maxConcurrency: Count.optional(),
    }),
    GRAPH_FIELDS.forEach,
  ),
} as const satisfies Readonly<Record<EdgeKind, z.ZodObject>>;
