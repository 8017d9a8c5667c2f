import { restartCountdown } from '../lifecycle/deadlines.ts';
import type { Limits } from '../definition/definition.ts';
import type { Draft } from '../superstep/draft.ts';
import { isJsonObject } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { limitsOfGraph, refuseLoose, tighten } from '../run/limits.ts';
import type { Refusal } from '../run/refusal.ts';

const COUNT = { type: 'integer', minimum: 1 } as const;

/** Limits as definitions write them. */
export const LIMITS = {
  type: 'object',
  properties: {
    maxSteps: COUNT,
    maxConcurrency: COUNT,
    deadline: { type: 'string', pattern: String.raw`^\d+(\.\d+)?(ms|s|m|h|d)$` },
    maxTokens: COUNT,
    maxCostUsd: { type: 'number', minimum: 0 },
    maxToolCalls: { type: 'integer', minimum: 0 },
  },
  additionalProperties: false,
} as const;

/** Gives a run other limits, up to those of its graph. @returns why it can't be done */
export function raiseLimits(draft: Draft, asked: Json | undefined): Refusal | null {
  if (!isLimits(asked)) return null;
  const { definition, catalog } = draft.graph;
  const { limits, loose } = tighten(limitsOfGraph(definition.limits, catalog.defaults), asked);
  const refusal = refuseLoose(loose);
  if (refusal) return refusal;
  const given = new Set(Object.keys(asked).map((name) => (name === 'deadline' ? 'deadlineMs' : name)));
  const raised = Object.entries(limits).filter(([name]) => given.has(name));
  draft.setLimits({ ...draft.run.limits, ...Object.fromEntries(raised) });
  if (given.has('deadlineMs')) restartCountdown(draft);
  return null;
}

/** The payload's schema has checked what it is, if it is there. */
function isLimits(value: Json | undefined): value is Limits & Json {
  return isJsonObject(value);
}
