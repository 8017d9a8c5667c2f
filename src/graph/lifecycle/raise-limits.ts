import type { Limits } from '../definition/limits.ts';
import type { Draft } from '../draft/draft.ts';
import { inForce, limitsOfRun } from '../run/limits.ts';
import type { Refusal } from '../run/refusal.ts';
import { isJsonObject } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { restartCountdown } from './deadlines.ts';

/** Changes a run's limits, up to those of its graph. @returns the reason for a refusal */
export function raiseLimits(draft: Draft, given: Json | undefined): Refusal | null {
  if (!isLimits(given)) return null;
  const asked: Limits = given;
  const { refusal } = limitsOfRun(draft.graph, asked);
  if (refusal) return refusal;
  const { limits, raisedLimits } = draft.run;
  draft.setLimits({ ...limits, ...inForce(asked) }, { ...raisedLimits, ...asked });
  if (asked.deadline !== undefined) restartCountdown(draft);
  return null;
}

/** Narrows the type only: the payload's schema has validated the value. */
function isLimits(value: Json | undefined): value is Limits & Json {
  return isJsonObject(value);
}
