import { GraphError } from './errors.ts';

/*
 * Meters all computation for definitions, inputs, signals and replies. A unit is deterministic and takes at most about
 * 100 ns. Prices and budgets belong to the interpreter version, because another amount would stop a run at another
 * point.
 */

interface OpenAllowance {
  /** The message of the error. */
  readonly message: string;
  /** The reading of the meter at which the allowance is used up. */
  readonly end: number;
  readonly outer: OpenAllowance | null;
}

/** `limit` is the lowest end of all open allowances. */
const meterState: { used: number; limit: number; innermost: OpenAllowance | null } = {
  used: 0,
  limit: Number.POSITIVE_INFINITY,
  innermost: null,
};

/** The error of an allowance that is used up. */
export class TooExpensiveError extends GraphError {
  readonly #allowance: OpenAllowance;

  constructor(allowance: OpenAllowance) {
    super('EXPRESSION_FAILED', allowance.message);
    this.#allowance = allowance;
  }

  isOf(allowance: OpenAllowance): boolean {
    return this.#allowance === allowance;
  }
}

/**
 * Runs work that may spend some units, which also count for all enclosing allowances.
 * @param name the subject of the error message
 * @throws TooExpensiveError once an allowance is used up; every later charge within it throws again
 */
export function withAllowance<T>(name: string, units: number, work: () => T): T {
  return runWithin(openAllowance(name, units), work);
}

/** Like `withAllowance`, but returns `null` if the work's own allowance is used up. */
export function tryWithAllowance<T extends object>(name: string, units: number, work: () => T): T | null {
  const allowance = openAllowance(name, units);
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
  return runWithin({ message, end: meterState.used + Math.max(0, units - spent), outer: meterState.innermost }, work);
}

/** Charges all open allowances. @param units a whole number, to be exact @throws TooExpensiveError if one is used up */
export function spendUnits(units: number): void {
  meterState.used += Math.min(units, MAX_CHARGE);
  if (meterState.used > meterState.limit) throw exceededError();
}

/**
 * Runs work without charging it, so that a process with a memoized result spends as much as one that computes it. The
 * work must be bounded in another way.
 */
export function withoutCharge<T>(work: () => T): T {
  const before = { ...meterState };
  Object.assign(meterState, { limit: Number.POSITIVE_INFINITY, innermost: null });
  try {
    return work();
  } finally {
    Object.assign(meterState, before);
  }
}

/** Returns the units spent by this process so far. The difference of two readings is deterministic. */
export function unitsSpent(): number {
  return meterState.used;
}

/** Returns the units that the open allowances have left; `Infinity` without any. */
export function unitsLeft(): number {
  return Math.max(0, meterState.limit - meterState.used);
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

function openAllowance(name: string, units: number): OpenAllowance {
  const message = `${name} is too expensive: it takes more than ${units} units`;
  return { message, end: meterState.used + units, outer: meterState.innermost };
}

function runWithin<T>(allowance: OpenAllowance, work: () => T): T {
  const { innermost, limit } = meterState;
  meterState.innermost = allowance;
  meterState.limit = Math.min(limit, allowance.end);
  try {
    return work();
  } finally {
    meterState.innermost = innermost;
    meterState.limit = limit;
  }
}

/**
 * Returns the error of the allowance that ends first; of two that end together, the outer one. Only its units stay
 * charged.
 */
function exceededError(): TooExpensiveError {
  let first: OpenAllowance | null = null;
  for (let allowance = meterState.innermost; allowance; allowance = allowance.outer)
    if (!first || allowance.end <= first.end) first = allowance;
  if (!first) throw new TypeError('No allowance is open');
  meterState.used = first.end + 1;
  return new TooExpensiveError(first);
}
