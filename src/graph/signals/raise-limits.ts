import { restartCountdown } from '../lifecycle/deadlines.ts';
import type { Limits } from '../definition/limits.ts';
import type { Draft } from '../superstep/draft.ts';
import { isJsonObject } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { inForce, limitsOfRun } from '../run/limits.ts';
import type { Refusal } from '../run/refusal.ts';

/** Gives a run other limits, up to those of its graph. @returns why it can't be done */
export function raiseLimits(draft: Draft, asked: Json | undefined): Refusal | null {
  if (!isLimits(asked)) return null;
  const { refusal } = limitsOfRun(draft.graph, asked);
  if (refusal) return refusal;
  draft.setLimits({ ...draft.run.limits, ...inForce(asked) });
  if (asked.deadline !== undefined) restartCountdown(draft);
  return null;
}

/** The payload's schema has checked what it is, if it is there. */
function isLimits(value: Json | undefined): value is Limits & Json {
  return isJsonObject(value);
}
