import type { CatalogDefaults } from './catalog.ts';
import type { Limits } from './definition.ts';
import type { RunLimits } from './run.ts';

/** So many calls of one run are out at a time unless its graph says otherwise; the server holds 2,000 at most. */
const DEFAULT_CONCURRENCY = 100;
const MAX_CONCURRENCY = 500;

/** The limits that a graph's runs have. */
export function limitsOfGraph(limits: Limits | undefined, defaults: Pick<CatalogDefaults, 'maxSteps'>): RunLimits {
  return {
    maxSteps: limits?.maxSteps ?? defaults.maxSteps,
    maxConcurrency: Math.min(limits?.maxConcurrency ?? DEFAULT_CONCURRENCY, MAX_CONCURRENCY),
  };
}

/** A limit that a run asked for and its graph does not give. */
export interface LooseLimit {
  readonly name: keyof RunLimits;
  readonly asked: number;
  readonly allowed: number;
}

/** Tightens a graph's limits by those that a run asks for. @returns what it asked for beyond them, if anything */
export function tighten(
  limits: RunLimits,
  asked: Limits,
): { readonly limits: RunLimits; readonly loose: readonly LooseLimit[] } {
  const names = ['maxSteps', 'maxConcurrency'] as const;
  const loose = names.flatMap((name) => {
    const wanted = asked[name];
    return wanted !== undefined && wanted > limits[name] ? [{ name, asked: wanted, allowed: limits[name] }] : [];
  });
  return {
    limits: {
      maxSteps: asked.maxSteps ?? limits.maxSteps,
      maxConcurrency: asked.maxConcurrency ?? limits.maxConcurrency,
    },
    loose,
  };
}
