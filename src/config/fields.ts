import { z } from 'zod';
import { TOOL_NAME } from '../activities/tools/tool.ts';
import { Duration, TimeSpan } from '../graph/schema/index.ts';
import { findSchemaProblems } from '../graph/values/index.ts';
import type { JsonSchema } from '../graph/values/index.ts';

/**
 * A value of several kinds that is read as the one that it looks like, so that an error speaks of that.
 * @param kindOf gives the schema of what a value looks like
 */
export function readAs<T>(kindOf: (given: object) => z.ZodType<T>) {
  return z.unknown().transform((given, context): T => {
    const parsed = kindOf(typeof given === 'object' && given !== null ? given : {}).safeParse(given);
    if (parsed.success) return parsed.data;
    passOn(parsed.error, context);
    return z.NEVER;
  });
}

/** Has problems that were found elsewhere told as problems of the value that is read. */
export function passOn({ issues }: z.ZodError, context: z.RefinementCtx, at: readonly PropertyKey[] = []): void {
  for (const { message, path } of issues) context.addIssue({ code: 'custom', message, path: [...at, ...path] });
}

const Retry = z.strictObject({
  maxAttempts: z.int().min(1).optional(),
  initialInterval: Duration.optional(),
  backoffCoefficient: z.number().min(1).optional(),
  maxInterval: Duration.optional(),
  nonRetryable: z.array(z.string()).readonly().optional(),
});

/** How calls of something are tried. */
export const callFields = { timeout: TimeSpan.optional(), retry: Retry.optional() };

/** Code, told apart from data by being callable. */
export function code<T extends (...args: never[]) => unknown>(): z.ZodType<T, T> {
  return z.custom<T>((value) => typeof value === 'function', 'must be a function');
}

/** How often something may be called. */
export const Effect = z.enum(['idempotent', 'keyed', 'unsafe']);

export const Schema = z.custom<JsonSchema>((value) => findSchemaProblems(value).length === 0, 'must be a JSON Schema');

const Secret = z.strictObject({ secret: z.string().min(1) });

/** A text as it is, or the name of the secret that it stands for. */
export const SecretOrText = z.union([z.string(), Secret]);

export const ToolName = z.string().regex(TOOL_NAME, 'must be 1 to 64 letters, digits or _ . : -');
