import { GraphError } from './errors.ts';

/*
 * Meters all computation for definitions, inputs, signals and replies. A unit is deterministic and takes at most about
 * 100 ns. Prices and budgets belong to the interpreter version, because another amount would stop a run at another
 * point.
 */

interface Allowance {
  /** The message of the error. */
  readonly message: string;
  /** The reading of the meter at which the allowance is used up. */
  readonly end: number;
  readonly outer: Allowance | null;
}

/** `limit` is the lowest end of all open allowances. */
const meter: { used: number; limit: number; innermost: Allowance | null } = {
  used: 0,
  limit: Number.POSITIVE_INFINITY,
  innermost: null,
};

/** The error of an allowance that is used up. */
export class TooExpensiveError extends GraphError {
  readonly #allowance: Allowance;

  constructor(allowance: Allowance) {
    super('EXPRESSION_FAILED', allowance.message);
    this.#allowance = allowance;
  }

  isOf(allowance: Allowance): boolean {
    return this.#allowance === allowance;
  }
}

/**
 * Runs work that may spend some units, which also count for all enclosing allowances.
 * @param name the subject of the error message
 * @throws TooExpensiveError once an allowance is used up; every later charge within it throws again
 */
export function withAllowance<T>(name: string, units: number, work: () => T): T {
  return runWithin(open(name, units), work);
}

/** Like `withAllowance`, but returns `null` if the work's own allowance is used up. */
export function tryWithAllowance<T extends object>(name: string, units: number, work: () => T): T | null {
  const allowance = open(name, units);
  try {
    return runWithin(allowance, work);
  } catch (error) {
    if (error instanceof TooExpensiveError && error.isOf(allowance)) return null;
    throw error;
  }
}

/** A budget for several pieces of work, of which some units are already spent. */
export interface Budget {
  readonly units: number;
  readonly spent: number;
  /** The message of the error when it is used up. */
  readonly message: string;
}

/** Like `withAllowance`, with the rest of a budget. */
export function withinBudget<T>({ units, spent, message }: Budget, work: () => T): T {
  return runWithin({ message, end: meter.used + Math.max(0, units - spent), outer: meter.innermost }, work);
}

/** Charges all open allowances. @param units a whole number, to be exact @throws TooExpensiveError if one is used up */
export function spend(units: number): void {
  meter.used += Math.min(units, MAX_CHARGE);
  if (meter.used > meter.limit) throw exceeded();
}

/**
 * Runs work without charging it, so that a process with a memoized result spends as much as one that computes it. The
 * work must be bounded in another way.
 */
export function withoutCharge<T>(work: () => T): T {
  const before = { ...meter };
  Object.assign(meter, { limit: Number.POSITIVE_INFINITY, innermost: null });
  try {
    return work();
  } finally {
    Object.assign(meter, before);
  }
}

/** Returns the units spent by this process so far. The difference of two readings is deterministic. */
export function unitsSpent(): number {
  return meter.used;
}

/** Returns the units that the open allowances have left; `Infinity` without any. */
export function unitsLeft(): number {
  return Math.max(0, meter.limit - meter.used);
}

/** Returns the price in units of reading or making a text. */
export function priceOfText(text: string): number {
  return priceOfLength(text.length);
}

/** Like `priceOfText`, for a text that is not made yet. */
export function priceOfLength(length: number): number {
  return 1 + Math.ceil(length / CHARACTERS_PER_UNIT);
}

const CHARACTERS_PER_UNIT = 16;

/** Keeps the meter an exact integer, however large a charge is. */
const MAX_CHARGE = 1_000_000_000;

function open(name: string, units: number): Allowance {
  const message = `${name} is too expensive: it takes more than ${units} units`;
  return { message, end: meter.used + units, outer: meter.innermost };
}

function runWithin<T>(allowance: Allowance, work: () => T): T {
  const { innermost, limit } = meter;
  meter.innermost = allowance;
  meter.limit = Math.min(limit, allowance.end);
  try {
    return work();
  } finally {
    meter.innermost = innermost;
    meter.limit = limit;
  }
}

/**
 * Returns the error of the allowance that ends first; of two that end together, the outer one. Only its units stay
 * charged.
 */
function exceeded(): TooExpensiveError {
  let first: Allowance | null = null;
  for (let allowance = meter.innermost; allowance; allowance = allowance.outer)
    if (!first || allowance.end <= first.end) first = allowance;
  if (!first) throw new TypeError('No allowance is open');
  meter.used = first.end + 1;
  return new TooExpensiveError(first);
}
