import type { CatalogDefaults } from '../definition/catalog.ts';
import type { Limits } from '../definition/definition.ts';
import { toMs } from '../values/duration.ts';
import type { Refusal } from './refusal.ts';

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

/** The limits of a run: as its interpreter goes by them, and as people read them. */
export interface LimitsOfRun {
  readonly limits: RunLimits;
  readonly shown: Limits;
  /** Why the run can't have the limits that it asks for; `null`: it can. */
  readonly refusal: Refusal | null;
}

interface LimitedGraph {
  readonly definition: { readonly limits?: Limits };
  readonly catalog: { readonly defaults: Pick<CatalogDefaults, 'maxSteps' | 'deadline'> };
}

/** The limits of a graph's run. @param asked those that the run asks for itself */
export function limitsOfRun({ definition, catalog: { defaults } }: LimitedGraph, asked: Limits = {}): LimitsOfRun {
  const { limits, loose } = tighten(limitsOfGraph(definition.limits, defaults), asked);
  const { deadlineMs: _deadlineMs, ...counts } = limits;
  const deadline = asked.deadline ?? definition.limits?.deadline ?? defaults.deadline;
  return { limits, shown: { ...counts, ...(deadline !== undefined && { deadline }) }, refusal: refuseLoose(loose) };
}

function refuseLoose(loose: readonly LooseLimit[]): Refusal | null {
  if (loose.length === 0) return null;
  const issues = loose.map(({ name, asked, allowed }) => ({
    path: `/limits/${name}`,
    message: `A run may not go beyond its graph's limits: ${asked} is over ${allowed}`,
  }));
  return { code: 'LIMIT_TOO_LOOSE', message: 'A limit is looser than the graph allows', issues };
}

function tooLoose(name: keyof Limits, asked: number | undefined, allowed: number | undefined): LooseLimit[] {
  return asked !== undefined && allowed !== undefined && asked > allowed ? [{ name, asked, allowed }] : [];
}

/** Limits in force: the graph's, tightened by the run. */
export interface RunLimits {
  readonly maxSteps: number;
  readonly maxConcurrency: number;
  /** Milliseconds. */
  readonly deadlineMs?: number;
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
  readonly maxToolCalls?: number;
}
