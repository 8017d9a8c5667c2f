import { z } from 'zod';
import { TOOL_NAME } from '../activities/tools/tool.ts';
import { CALL_SAFETIES } from '../graph/definition/index.ts';
import { Retry, TimeSpan } from '../graph/schema/index.ts';
import type { Duration } from '../graph/schema/index.ts';
import { DAY_MS, parseDuration } from '../graph/values/index.ts';

/**
 * Chooses a schema by the shape of a value, so that errors refer to the intended kind.
 * @param schemaOf returns the schema for a value
 */
export function parseBySchemaOf<T>(schemaOf: (value: object) => z.ZodType<T>) {
  return z.unknown().transform((value, context): T => {
    const parsed = schemaOf(typeof value === 'object' && value !== null ? value : {}).safeParse(value);
    if (parsed.success) return parsed.data;
    addIssues(parsed.error, context);
    return z.NEVER;
  });
}

/** Adds the issues of a nested parse to those of the current value. @param suffix ends each message */
export function addIssues(
  { issues }: z.ZodError,
  context: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
  suffix = '',
): void {
  for (const { message, path } of issues)
    context.addIssue({ code: 'custom', message: `${message}${suffix}`, path: [...at, ...path] });
}

const LONGEST_TIMER_DAYS = 24;

/** Refuses durations that exceed Node's longest timer: such a timer fires at once. */
export function refuseLongDurations(duration: typeof Duration): typeof Duration {
  return duration.refine((text) => (parseDuration(text) ?? 0) <= LONGEST_TIMER_DAYS * DAY_MS, {
    error: ({ input }) => `"${String(input)}" is over ${LONGEST_TIMER_DAYS}d`,
  });
}

/** Time-out and retries of calls. */
export const callFields = { timeout: TimeSpan.optional(), retry: Retry.optional() };

/** Time-out and retries, as configurations write them. */
export interface CallSettingsInput {
  /** The time limit of one attempt: "30s", "5m", "2h". */
  timeout?: z.input<typeof callFields.timeout>;
  /** The number of attempts, and the time between them. */
  retry?: z.input<typeof callFields.retry>;
}

/** Accepts functions, by which code is recognized. */
export function codeField<T extends (...args: never[]) => unknown>(): z.ZodType<T, T> {
  return z.custom<T>((value) => typeof value === 'function', 'must be a function');
}

/** Safety of repeated calls. */
export const Safety = z.enum(CALL_SAFETIES);

const SecretReference = z.strictObject({ secret: z.string().min(1) });

/** A text, or a reference to a secret. */
export const SecretOrText = z.union([z.string(), SecretReference]);

export const ToolName = z.string().regex(TOOL_NAME, 'must be 1 to 64 letters, digits or _ . : -');
