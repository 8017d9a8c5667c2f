import { z } from 'zod';
import type { EdgeKind } from '../definition/definition.ts';
import { parseDuration } from '../values/time.ts';

/** The descriptions that editors and the reference show for each kind of edge. */
export const EDGE_DESCRIPTIONS: Readonly<Record<EdgeKind, string>> = {
  plain: 'Always leads to `to`. A list in `from` is a join: it waits until all of these nodes have finished.',
  branches: 'Leads to the first branch whose condition is true. A branch without `when` is the default.',
  route: 'Leads to the target that `paths` has for the value of `route`.',
  forEach: 'Runs `to` once for each element of a list, in parallel. Each run of it has its own `item` and `index`.',
};

/** The descriptions of the fields around nodes, by object. The doc comments of the types have the same texts. */
export const GRAPH_FIELDS = {
  graph: {
    $schema: 'The address of the JSON Schema, for editors.',
    name: 'The name under which the graph is published: lower-case letters, digits and `-`.',
    description: 'A text for people.',
    channels: 'The state of a run: its channels, by name.',
    nodes: 'The nodes, by id.',
    edges: 'The edges between nodes. Each fires on its own.',
    input: 'The channels that may be set at the start of a run; all of them by default.',
    required: 'The input channels that every new run must be given, whatever their defaults.',
    output: "The channels that are its runs' output; all of them by default.",
    interruptBefore: 'Node ids, or `["*"]` for all: the run pauses before them.',
    interruptAfter: 'Node ids, or `["*"]` for all: the run pauses after them.',
    limits: 'The limits and budgets of a run.',
    defaults: 'Values for fields that its nodes do not set.',
    onCancel: 'The node that runs last when a run is canceled. Neither it nor a node inside it may wait.',
  },
  channel: {
    reducer: 'How a write changes the value: a name, or an expression; `replace` by default.',
    default: 'The first value. Without it, the reducer says what the channel begins with.',
    schema: 'JSON Schema (2020-12) of the value.',
    ephemeral: 'True: the value can be read only in the superstep after its write, and is in no checkpoint.',
    redact: 'True: hides the value from people without the permission to see payloads.',
    roles: 'The roles of messages that the channel takes from outside; `user` alone by default.',
    description: 'A text for people.',
  },
  reducer: { expr: 'CEL over `current` and `update` that gives the new value.' },
  defaults: {
    model: 'The model of nodes that name none: a name, or several, each the fallback of the one before.',
    timeout: 'The time limit of one attempt of a call: "30s", "5m", "2h".',
    retry: 'The number of attempts of a call, and the time between them.',
  },
  retry: {
    maxAttempts: 'The number of attempts, the first one included; 5 by default.',
    initialInterval: 'The time before the second attempt; "1s" by default.',
    backoffCoefficient: 'The factor by which the time grows from attempt to attempt; 2 by default.',
    maxInterval: 'The longest time between two attempts; "60s" by default.',
    nonRetryable: 'Codes of failures after which there is no further attempt.',
  },
  plain: {
    from: 'A node id or `__start__`. A list is a join: it waits for all of them.',
    to: 'A node id, `__end__`, or several of them.',
  },
  branches: {
    from: 'A node id or `__start__`. A list is a join: it waits for all of them.',
    branches: 'The branches, in the order in which their conditions are tried.',
  },
  branch: {
    when: 'CEL over `state`: true if this branch is taken. Without it, the branch is the default.',
    to: 'A node id, `__end__`, or several of them.',
  },
  route: {
    from: 'A node id or `__start__`. A list is a join: it waits for all of them.',
    route: 'CEL that gives a text, or a list of texts for several targets at once.',
    paths: 'The target of each value.',
    default: 'The target of all other values. Without it, such a value fails the run.',
  },
  forEach: {
    from: 'A node id or `__start__`. A list is a join: it waits for all of them.',
    forEach: 'CEL that gives a list.',
    to: 'The node that runs once for each element.',
    maxConcurrency: 'The number of elements that are worked on at a time; all of them by default.',
  },
} as const;

/** The descriptions of the fields of an object, by name. */
export type FieldTexts = Readonly<Record<string, string>>;

const registry = z.registry<{ readonly texts: FieldTexts }>();

/** Describes every field of an object but `type`. It compiles only if none is missing. @returns the schema */
export function describe<Shape extends z.core.$ZodLooseShape, Config extends z.core.$ZodObjectConfig>(
  schema: z.ZodObject<Shape, Config>,
  texts: Readonly<Record<Exclude<keyof Shape & string, 'type'>, string>>,
): z.ZodObject<Shape, Config> {
  registry.add(schema, { texts });
  return schema;
}

/** Gives a schema that extends another one the descriptions of the other one. */
export function describeLike<Schema extends z.ZodObject>(described: z.ZodObject, schema: Schema): Schema {
  registry.add(schema, { texts: textsOf(described) ?? {} });
  return schema;
}

/** Returns the descriptions of the fields of a schema that has some. */
export function textsOf(schema: z.core.$ZodType): FieldTexts | undefined {
  return registry.get(schema)?.texts;
}

/* The shapes of fields that several parts of a definition have. */

/** Sets the issue code of a refusal. Refusals without it have the code `INVALID_FIELD`. */
const coded = (code: string): { params: { code: string } } => ({ params: { code } });

/** A text that `parseDuration` accepts. */
export const Duration = z.string().refine((text) => parseDuration(text) !== null, {
  error: ({ input }) => `"${String(input)}" is no duration such as "250ms", "30s", "5m", "2h" or "7d"`,
  ...coded('INVALID_DURATION'),
});
/** A duration above zero, for limits. A limit of zero would end everything at once. */
export const TimeSpan = Duration.refine((text) => parseDuration(text) !== 0, {
  error: ({ input }) => `"${String(input)}" leaves no time for it`,
  ...coded('INVALID_DURATION'),
});
export const Count = z.int().min(1);
export const Names = z.array(z.string());
export const OneOrMore = z.union([z.string(), z.array(z.string()).min(1)]);
export const Schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
export const Values = z.record(z.string(), z.json());

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
