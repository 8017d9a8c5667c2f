import { z } from 'zod';
import { REDUCERS } from '../definition/reducers.ts';
import type { EdgeKind } from '../definition/definition.ts';
import { LIMITS } from '../definition/limits.ts';
import type { LimitValue } from '../definition/limits.ts';
import { MESSAGE_ROLES } from '../definition/message.ts';
import { mapValues } from '../values/collections.ts';
import { describeSchemaFields } from './described-fields.ts';
import { GRAPH_FIELDS } from './descriptions.ts';
import {
  AnyJsonSchema,
  CountSchema,
  DurationSchema,
  NamesSchema,
  OneOrMoreSchema,
  RetrySchema,
  JsonSchemaSchema,
  TimeSpanSchema,
} from './field-schemas.ts';
import { DetourSchema } from './node-schemas.ts';

/*
 * The shape of a definition. In `src/graph`, only `schema/` runs code of zod, and no workflow imports it. The kind of a
 * node or edge is determined before parsing, so that errors refer to the right kind.
 */

const ReducerSchema = z.union([
  z.enum(Object.keys(REDUCERS)),
  describeSchemaFields(z.strictObject({ expr: z.string() }), GRAPH_FIELDS.reducer),
]);

const ChannelSchema = describeSchemaFields(
  z.strictObject({
    reducer: ReducerSchema.optional(),
    default: AnyJsonSchema.optional(),
    schema: JsonSchemaSchema.optional(),
    ephemeral: z.boolean().optional(),
    redact: z.boolean().optional(),
    roles: z.array(z.enum(MESSAGE_ROLES)).optional(),
    description: z.string().optional(),
  }),
  GRAPH_FIELDS.channel,
);

const LIMIT_VALUES: Readonly<Record<LimitValue, z.ZodType>> = {
  count: CountSchema,
  countOrNone: z.int().min(0),
  amount: z.number().min(0),
  duration: DurationSchema,
};

export const LimitsSchema = z.strictObject(
  mapValues(LIMITS, ({ value, description }) => LIMIT_VALUES[value].optional().describe(description)),
);

const DefaultsSchema = describeSchemaFields(
  z.strictObject({
    model: OneOrMoreSchema.optional(),
    timeout: TimeSpanSchema.optional(),
    retry: RetrySchema.optional(),
  }),
  GRAPH_FIELDS.defaults,
);

/** The definition without its nodes and edges, which have schemas of their own. */
export const GraphSchema = describeSchemaFields(
  z.strictObject({
    $schema: z.string().optional(),
    name: z.string(),
    description: z.string().optional(),
    channels: z.record(z.string(), ChannelSchema).optional(),
    nodes: z.record(z.string(), z.looseObject({ type: z.string() })),
    edges: z.array(z.looseObject({})),
    input: NamesSchema.optional(),
    required: NamesSchema.optional(),
    output: NamesSchema.optional(),
    interruptBefore: NamesSchema.optional(),
    interruptAfter: NamesSchema.optional(),
    limits: LimitsSchema.optional(),
    defaults: DefaultsSchema.optional(),
    onCancel: z.string().optional(),
    onFail: z.union([z.string(), DetourSchema]).optional(),
  }),
  GRAPH_FIELDS.graph,
);

const BranchSchema = describeSchemaFields(
  z.strictObject({ when: z.string().optional(), to: OneOrMoreSchema }),
  GRAPH_FIELDS.branch,
);

export const EdgeSchemas = {
  plain: describeSchemaFields(z.strictObject({ from: OneOrMoreSchema, to: OneOrMoreSchema }), GRAPH_FIELDS.plain),
  branches: describeSchemaFields(
    z.strictObject({
      from: OneOrMoreSchema,
      branches: z.array(BranchSchema).min(1),
    }),
    GRAPH_FIELDS.branches,
  ),
  route: describeSchemaFields(
    z.strictObject({
      from: OneOrMoreSchema,
      route: z.string(),
      paths: z.record(z.string(), OneOrMoreSchema),
      default: OneOrMoreSchema.optional(),
    }),
    GRAPH_FIELDS.route,
  ),
  forEach: describeSchemaFields(
    z.strictObject({
      from: OneOrMoreSchema,
      forEach: z.string(),
      to: z.string().optional(),
      route: z.string().optional(),
      paths: z.record(z.string(), OneOrMoreSchema).optional(),
      default: OneOrMoreSchema.optional(),
      maxConcurrency: CountSchema.optional(),
    }),
    GRAPH_FIELDS.forEach,
  ),
} as const satisfies Readonly<Record<EdgeKind, z.ZodObject>>;
