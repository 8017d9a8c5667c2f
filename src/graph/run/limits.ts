import type { CatalogDefaults } from '../definition/catalog.ts';
import { LIMITS } from '../definition/limits.ts';
import type { Ceilings, DurationLimit, LimitDescription, LimitName, Limits, LimitValue } from '../definition/limits.ts';
import { mapValues } from '../values/collections.ts';
import type { TokenUsage } from '../values/errors.ts';
import { DURATION_PATTERN, toMs } from '../values/time.ts';
import { own } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import type { Refusal } from './occurrence.ts';

/**
 * The effective limits: the graph's, tightened by the run. Durations are in milliseconds, and their names end with
 * `Ms`.
 */
export type RunLimits = { readonly [Name in LimitName as NameInForce<Name>]?: number } & {
  readonly [Name in RequiredLimit]: number;
};

/** Limits that every run has. */
type RequiredLimit = 'maxSteps' | 'maxConcurrency';

type NameInForce<Name extends LimitName> = Name extends DurationLimit ? `${Name}Ms` : Name;

type InstallationDefaults = Pick<CatalogDefaults, 'maxSteps' | 'maxConcurrency' | 'deadline'>;

/** Returns the limits of a graph's runs. A limit that the graph does not set is the installation's. */
export function limitsOfGraph(
  limits: Limits = {},
  { maxSteps, maxConcurrency, deadline }: InstallationDefaults,
): RunLimits {
  return { maxSteps, maxConcurrency, ...effectiveLimits({ ...(deadline !== undefined && { deadline }), ...limits }) };
}

/** Converts a definition's limits to effective names and units. */
export function effectiveLimits(limits: Limits): Partial<RunLimits> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) =>
      typeof value === 'string' ? [`${name}Ms`, toMs(value)] : [name, value],
    ),
  );
}

/** A requested limit beyond the graph's own. */
export interface LooseLimit {
  readonly name: string;
  readonly asked: number;
  readonly allowed: number;
}

/** A run's limits: the effective ones, and in the form that people write. */
export interface LimitsOfRun {
  readonly limits: RunLimits;
  readonly readable: Limits;
  /** The reason why the requested limits are impossible; `null` if they are possible. */
  readonly refusal: Refusal | null;
}

interface LimitedGraph {
  readonly definition: { readonly limits?: Limits };
  readonly catalog: { readonly defaults: InstallationDefaults; readonly ceilings: Ceilings };
}

/** Computes a run's limits. @param asked the limits requested by the run */
export function limitsOfRun(
  { definition, catalog: { defaults, ceilings } }: LimitedGraph,
  asked: Limits = {},
): LimitsOfRun {
  const { limits, loose } = tightenLimits(limitsOfGraph(definition.limits, defaults), asked);
  const { deadlineMs: _deadlineMs, ...counts } = limits;
  const deadline = asked.deadline ?? definition.limits?.deadline ?? defaults.deadline;
  return {
    limits,
    readable: { ...counts, ...(deadline !== undefined && { deadline }) },
    refusal: refuseLooseLimits(loose, ceilings),
  };
}

/** Tightens a graph's limits by those of a run. @returns requested limits beyond the graph's */
export function tightenLimits(
  limits: RunLimits,
  asked: Limits,
): { readonly limits: RunLimits; readonly loose: readonly LooseLimit[] } {
  const allowed: Readonly<Record<string, number>> = limits;
  const wanted: Readonly<Record<string, number>> = effectiveLimits(asked);
  const loose = Object.entries(LIMITS).flatMap(([name, { value }]) => {
    const key = value === 'duration' ? `${name}Ms` : name;
    return tooLoose(name, own(wanted, key), own(allowed, key));
  });
  return { limits: { ...limits, ...wanted }, loose };
}

function refuseLooseLimits(loose: readonly LooseLimit[], ceilings: Ceilings): Refusal | null {
  if (loose.length === 0) return null;
  const issues = loose.map((limit) => ({
    path: `/limits/${limit.name}`,
    message: `A run may not go beyond its graph's limits: ${limit.asked} is over ${limit.allowed}${ceilingBelow(limit, ceilings)}`,
  }));
  return { code: 'LIMIT_TOO_LOOSE', message: 'A limit is looser than the graph allows', issues };
}

function ceilingBelow({ name, asked }: LooseLimit, ceilings: Ceilings): string {
  const { ceiling } = own<LimitDescription>(LIMITS, name) ?? {};
  if (ceiling === undefined || asked <= ceilings[ceiling]) return '';
  return `, and this installation allows ${ceilings[ceiling]} (ceilings.${ceiling})`;
}

function tooLoose(name: string, asked: number | undefined, allowed: number | undefined): LooseLimit[] {
  return asked !== undefined && allowed !== undefined && asked > allowed ? [{ name, asked, allowed }] : [];
}

const LIMIT_SCHEMAS: Readonly<Record<LimitValue, JsonObject>> = {
  count: { type: 'integer', minimum: 1 },
  countOrNone: { type: 'integer', minimum: 0 },
  amount: { type: 'number', minimum: 0 },
  duration: { type: 'string', pattern: DURATION_PATTERN },
};

/** JSON Schema of `Limits`. */
export const LIMITS_SCHEMA: JsonObject = {
  type: 'object',
  properties: mapValues(LIMITS, ({ value }) => LIMIT_SCHEMAS[value]),
  additionalProperties: false,
};

/** The time left of a deadline, in milliseconds. A countdown is running or stopped. */
export interface Countdown {
  readonly leftMs: number;
  readonly runsSince: number | null;
}

/** Returns a stopped countdown with all of its time. */
export function newCountdown(leftMs: number): Countdown {
  return { leftMs, runsSince: null };
}

/** Starts or stops a countdown. @returns `null` if nothing changes */
export function toggleCountdown({ leftMs, runsSince }: Countdown, runs: boolean, now: number): Countdown | null {
  if (runs === (runsSince !== null)) return null;
  return runsSince === null
    ? { leftMs, runsSince: now }
    : { leftMs: countdownLeftAt({ leftMs, runsSince }, now), runsSince: null };
}

/** Returns the milliseconds that a countdown has left. */
export function countdownLeftAt({ leftMs, runsSince }: Countdown, now: number): number {
  return runsSince === null ? leftMs : Math.max(0, leftMs - (now - runsSince));
}

/** Returns the time at which a running countdown ends; `null` if it is stopped. */
export function countdownEnd({ leftMs, runsSince }: Countdown): number | null {
  return runsSince === null ? null : runsSince + leftMs;
}

/** USD per million tokens, which equals millionths of a USD per token. */
interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

/** Returns a model call's cost in whole millionths of a US dollar; 0 without a known price. */
export function costMicros(usage: TokenUsage, price: TokenPrice | undefined): number {
  return price ? Math.round(usage.inputTokens * price.input + usage.outputTokens * price.output) : 0;
}

/** The usage of a run. Money is in millionths of a US dollar, so sums are exact. */
export interface BudgetUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
}

export const NOTHING_SPENT: BudgetUsage = {
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
  modelCalls: 0,
  toolCalls: 0,
};

/** Money is in millionths of a US dollar. */
export interface Reservation {
  readonly tokens: number;
  readonly costMicros: number;
}

/** The budget that a model call needs, in tokens: its input and its requested output. */
export interface ModelNeeds {
  readonly model: string;
  readonly input: number;
  readonly output: number;
}
