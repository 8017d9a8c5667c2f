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
