import type { Limits } from '../definition.ts';
import type { Draft } from '../draft.ts';
import { isJsonObject } from '../json.ts';
import type { Json } from '../json.ts';
import { restartClock } from '../clock.ts';
import { limitsOfGraph, tighten } from '../limits.ts';
import type { Refusal } from '../run.ts';

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
  if (loose.length === 0) {
    const given = new Set(Object.keys(asked).map((name) => (name === 'deadline' ? 'deadlineMs' : name)));
    const raised = Object.entries(limits).filter(([name]) => given.has(name));
    draft.run.limits = { ...draft.run.limits, ...Object.fromEntries(raised) };
    if (given.has('deadlineMs')) restartClock(draft);
    return null;
  }
  const issues = loose.map(({ name, asked: wanted, allowed }) => ({
    path: `/limits/${name}`,
    message: `A run may not go beyond its graph's limits: ${wanted} is over ${allowed}`,
  }));
  return { code: 'LIMIT_TOO_LOOSE', message: 'A limit is looser than the graph allows', issues };
}

/** The payload's schema has checked what it is, if it is there. */
function isLimits(value: Json | undefined): value is Limits & Json {
  return isJsonObject(value);
}
