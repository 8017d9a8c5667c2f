import type { JsonObject } from '../../graph/values/index.ts';
import { text } from '../line/flags.ts';
import { readJsonObject } from './read-json.ts';

/* How commands give a run limits. */

export const LIMITS_FLAG = {
  limits: text('JSON', 'its limits, such as {"maxCostUsd": 1}, or @FILE that holds them'),
} as const;

/** The member of a request that says them; none without the flag. @throws UsageError */
export async function readLimits({
  limits,
}: {
  readonly limits?: string | undefined;
}): Promise<{ readonly limits?: JsonObject }> {
  if (limits === undefined) return {};
  return { limits: await readJsonObject('--limits', limits, 'limits of the run by their names') };
}
