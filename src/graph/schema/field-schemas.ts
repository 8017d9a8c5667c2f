import { z } from 'zod';
import type { Json } from '../values/json.ts';
import { parseDuration } from '../values/time.ts';
import { describe } from './described-fields.ts';
import { GRAPH_FIELDS } from './descriptions.ts';

/* The schemas of fields that several parts of a definition have. */

/** Sets the issue code of a refusal. Refusals without it have the code `INVALID_FIELD`. */
const withIssueCode = (code: string): { params: { code: string } } => ({ params: { code } });

/** A text that `parseDuration` accepts. */
export const Duration = z.string().refine((text) => parseDuration(text) !== null, {
  error: ({ input }) => `"${String(input)}" is no duration such as "250ms", "30s", "5m", "2h" or "7d"`,
  ...withIssueCode('INVALID_DURATION'),
});
/** A duration above zero, for limits. A limit of zero would end everything at once. */
export const TimeSpan = Duration.refine((text) => parseDuration(text) !== 0, {
  error: ({ input }) => `"${String(input)}" leaves no time for it`,
  ...withIssueCode('INVALID_DURATION'),
});
export const Count = z.int().min(1);
export const Names = z.array(z.string());
export const OneOrMore = z.union([z.string(), z.array(z.string()).min(1)]);
export const Schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
/** Any JSON value, which the JSON Schema of definitions has once. */
export const AnyJson: z.ZodType<Json> = z
  .lazy(() => z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(AnyJson), z.record(z.string(), AnyJson)]))
  .meta({ id: 'Json' });
export const Values = z.record(z.string(), AnyJson);

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
