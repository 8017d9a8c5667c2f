import type { Catalog } from '../graph/catalog.ts';
import type { Limits } from '../graph/definition.ts';
import { limitsOfGraph } from '../graph/limits.ts';
import type { ValidGraph } from './graph-reference.ts';

/** The limits in force, as definitions write them. */
export function publicLimits({ definition }: ValidGraph, asked: Limits, { defaults }: Catalog): Limits {
  const { maxSteps, maxConcurrency } = limitsOfGraph(definition.limits, defaults);
  const { deadline } = defaults;
  const limits = {
    ...(deadline !== undefined && { deadline }),
    ...definition.limits,
    maxSteps,
    maxConcurrency,
    ...asked,
  };
  return { ...limits, maxConcurrency: Math.min(maxConcurrency, limits.maxConcurrency) };
}
