import { toMs } from './call-policy.ts';
import type { CatalogDefaults } from './catalog.ts';
import type { Limits } from './definition.ts';
import type { RunLimits } from './run.ts';

/** So many calls of one run are out at a time unless its graph says otherwise; the server holds 2,000 at most. */
const DEFAULT_CONCURRENCY = 100;
const MAX_CONCURRENCY = 500;

/** The limits that a graph's runs have. */
export function limitsOfGraph(
  limits: Limits | undefined,
  defaults: Pick<CatalogDefaults, 'maxSteps' | 'deadline'>,
): RunLimits {
  const { maxSteps = defaults.maxSteps, maxConcurrency = DEFAULT_CONCURRENCY, ...rest } = limits ?? {};
  const { deadline = defaults.deadline, ...budgets } = rest;
  return {
    maxSteps,
    maxConcurrency: Math.min(maxConcurrency, MAX_CONCURRENCY),
    ...budgets,
    ...(deadline !== undefined && { deadlineMs: toMs(deadline) }),
  };
}

/** A limit that a run asked for and its graph does not give. */
export interface LooseLimit {
  readonly name: keyof Limits;
  readonly asked: number;
  readonly allowed: number;
}

const NAMES = ['maxSteps', 'maxConcurrency', 'maxTokens', 'maxCostUsd', 'maxToolCalls'] as const;

/** Tightens a graph's limits by those that a run asks for. @returns what it asked for beyond them, if anything */
export function tighten(
  limits: RunLimits,
  { deadline, ...asked }: Limits,
): { readonly limits: RunLimits; readonly loose: readonly LooseLimit[] } {
  const deadlineMs = deadline === undefined ? undefined : toMs(deadline);
  const loose = NAMES.flatMap((name) => tooLoose(name, asked[name], limits[name]));
  return {
    limits: { ...limits, ...asked, ...(deadlineMs !== undefined && { deadlineMs }) },
    loose: [...loose, ...tooLoose('deadline', deadlineMs, limits.deadlineMs)],
  };
}

function tooLoose(name: keyof Limits, asked: number | undefined, allowed: number | undefined): LooseLimit[] {
  return asked !== undefined && allowed !== undefined && asked > allowed ? [{ name, asked, allowed }] : [];
}
