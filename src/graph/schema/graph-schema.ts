import { z } from 'zod';
import { REDUCERS } from '../definition/reducers.ts';
import type { EdgeKind } from '../definition/definition.ts';
import { LIMITS } from '../definition/limits.ts';
import type { LimitValue } from '../definition/limits.ts';
import { MESSAGE_ROLES } from '../definition/message.ts';
import { mapValues } from '../values/collections.ts';
import { describe } from './described-fields.ts';
import { GRAPH_FIELDS } from './descriptions.ts';
import { AnyJson, Count, Duration, Names, OneOrMore, Retry, Schema, TimeSpan } from './field-schemas.ts';

/*
 * The shape of a definition. In `src/graph`, only `schema/` runs code of zod, and no workflow imports it. The kind of a
 * node or edge is determined before parsing, so that errors refer to the right kind.
 */

const Reducer = z.union([
  z.enum(Object.keys(REDUCERS)),
  describe(z.strictObject({ expr: z.string() }), GRAPH_FIELDS.reducer),
]);

const Channel = describe(
  z.strictObject({
    reducer: Reducer.optional(),
    default: AnyJson.optional(),
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
