import { z } from 'zod';
import type { Json } from '../values/json.ts';
import { parseDuration } from '../values/time.ts';
import { describeSchemaFields } from './described-fields.ts';
import { GRAPH_FIELDS } from './descriptions.ts';

/* The schemas of fields that several parts of a definition have. */

/** Sets the issue code of a refusal. Refusals without it have the code `INVALID_FIELD`. */
const withIssueCode = (code: string): { params: { code: string } } => ({ params: { code } });

/** A text that `parseDuration` accepts. */
export const DurationSchema = z.string().refine((text) => parseDuration(text) !== null, {
  error: ({ input }) => `"${String(input)}" is no duration such as "250ms", "30s", "5m", "2h" or "7d"`,
  ...withIssueCode('INVALID_DURATION'),
});
/** A duration above zero, for limits. A limit of zero would end everything at once. */
export const TimeSpanSchema = DurationSchema.refine((text) => parseDuration(text) !== 0, {
  error: ({ input }) => `"${String(input)}" leaves no time for it`,
  ...withIssueCode('INVALID_DURATION'),
});
export const CountSchema = z.int().min(1);
export const NamesSchema = z.array(z.string());
export const OneOrMoreSchema = z.union([z.string(), z.array(z.string()).min(1)]);
export const JsonSchemaSchema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
/** Any JSON value, which the JSON Schema of definitions has once. */
export const AnyJsonSchema: z.ZodType<Json> = z
  .lazy(() =>
    z.union([
      z.string(),
      z.number(),
      z.boolean(),
      z.null(),
      z.array(AnyJsonSchema),
      z.record(z.string(), AnyJsonSchema),
    ]),
  )
  .meta({ id: 'Json' });
export const JsonValuesSchema = z.record(z.string(), AnyJsonSchema);

/** The attempts of a call, and the time between them. */
export const RetrySchema = describeSchemaFields(
  z.strictObject({
    maxAttempts: CountSchema.optional(),
    initialInterval: DurationSchema.optional(),
    backoffCoefficient: z.number().min(1).optional(),
    maxInterval: DurationSchema.optional(),
    nonRetryable: NamesSchema.optional(),
  }),
  GRAPH_FIELDS.retry,
);
