/**
 * Bounds what one expression may cost. A unit is about one evaluated node or one element or character of a result,
 * some 50 ns; the limit keeps a hostile expression far below the 5 s that the workflow sandbox allows an activation.
 */
const MAX_COST = 1_000_000;

class CostExceededError extends Error {
  constructor() {
    super(`it costs more than ${MAX_COST} steps`);
  }
}

const meter = { left: MAX_COST, total: 0 };

/** Runs an evaluation under a fresh budget. */
export function metered<T>(evaluate: () => T): T {
  meter.left = MAX_COST;
  try {
    return evaluate();
  } finally {
    meter.total += MAX_COST - Math.max(0, meter.left);
  }
}

/** @throws CostExceededError when the expression that runs has used up its budget */
export function spend(units: number): void {
  meter.left -= units;
  if (meter.left < 0) throw new CostExceededError();
}

/** What all evaluations so far have cost; the difference of two readings is deterministic. */
export function totalCost(): number {
  return meter.total;
}

const CHARACTERS_PER_UNIT = 16;

const known = new WeakMap<object, number>();

/** What reading a whole value costs, in units of the meter; measured once for each object. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_UNIT;
  if (typeof value !== 'object' || value === null) return 1;
  const measured = known.get(value);
  if (measured !== undefined) return measured;
  const members: readonly unknown[] = value instanceof Map ? [...value.values()] : Object.values(value);
  const weight = members.reduce<number>((sum, member) => sum + weightOf(member), 1);
  known.set(value, weight);
  return weight;
}

/** What making a value costs on top of its parts: its own characters or elements. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_UNIT;
  return Array.isArray(value) ? 1 + value.length : 1;
}
