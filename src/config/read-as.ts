import { z } from 'zod';

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
