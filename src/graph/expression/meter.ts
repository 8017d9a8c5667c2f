/**
 * Limit of the cost of one evaluation. A unit is about one evaluated node or one element of a result, some 50 ns: a
 * hostile expression stays far below the 5 s that the workflow sandbox allows an activation.
 */
const MAX_COST = 1_000_000;

const meter = { remaining: MAX_COST, total: 0 };

/** Runs an evaluation under a fresh limit of `MAX_COST`. */
export function metered<T>(evaluate: () => T): T {
  meter.remaining = MAX_COST;
  try {
    return evaluate();
  } finally {
    meter.total += MAX_COST - Math.max(0, meter.remaining);
  }
}

/** Charges the running evaluation. @throws CostExceededError when its limit is used up */
export function spend(units: number): void {
  meter.remaining -= units;
  if (meter.remaining < 0) throw new CostExceededError();
}

/** Cost of all evaluations of this process so far. The difference of two readings is deterministic. */
export function totalCost(): number {
  return meter.total;
}

/** Cost of reading a whole value. Objects are measured once. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_UNIT;
  if (typeof value !== 'object' || value === null) return 1;
  const measured = weights.get(value);
  if (measured !== undefined) return measured;
  const members: readonly unknown[] = value instanceof Map ? [...value.values()] : Object.values(value);
  const weight = members.reduce<number>((sum, member) => sum + weightOf(member), 1);
  weights.set(value, weight);
  return weight;
}

/** Cost of making a value on top of its parts: its own characters or elements. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_UNIT;
  return Array.isArray(value) ? 1 + value.length : 1;
}

const CHARACTERS_PER_UNIT = 16;

const weights = new WeakMap<object, number>();

class CostExceededError extends Error {
  constructor() {
    super(`it costs more than ${MAX_COST} steps`);
  }
}
