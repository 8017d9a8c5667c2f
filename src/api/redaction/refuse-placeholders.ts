import { REDACTED } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { toPointer } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { ApiError } from '../http/errors.ts';

/**
 * Refuses values that a caller sends back as they were shown: they would overwrite what is hidden.
 * @param at where the values stand in the body
 * @throws ApiError 422 naming the channels
 */
export function refusePlaceholders(
  values: JsonObject,
  { channels }: Pick<Redaction, 'channels'>,
  at: readonly string[] = ['values'],
): void {
  const issues = channels
    .filter((name) => Object.hasOwn(values, name) && values[name] === REDACTED)
    .map((name) => ({
      path: toPointer([...at, name]),
      message: `"${REDACTED}" stands for a value that you may not see; leave "${name}" out to keep it`,
    }));
  if (issues.length > 0)
    throw new ApiError('INVALID_VALUES', 'Hidden values were sent back as they are shown', { issues });
}
