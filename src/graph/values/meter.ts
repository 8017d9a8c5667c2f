import { GraphError } from './errors.ts';

/*
 * Meters all that is computed for definitions, inputs, signals and replies. A unit is deterministic and takes at most
 * about 100 ns. Prices and budgets belong to the interpreter version: another amount stops a run at another place.
 */

interface Allowance {
  /** What an error says of it. */
  readonly message: string;
  /** The reading of the meter at which it is used up. */
  readonly end: number;
  readonly outer: Allowance | null;
}

/** `limit` is the lowest end of all open allowances. */
const meter: { used: number; limit: number; innermost: Allowance | null } = {
  used: 0,
  limit: Number.POSITIVE_INFINITY,
  innermost: null,
};

/** An allowance that is used up. */
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
 * Does work that may spend some units, which also count for all enclosing allowances.
 * @param name the subject of the error message
 * @throws TooExpensiveError once an allowance is used up; every later charge within it throws again
 */
export function withAllowance<T>(name: string, units: number, work: () => T): T {
  return runWithin(open(name, units), work);
}

/** As `withAllowance`, but returns `null` if the work's own allowance is used up. */
export function tryWithAllowance<T extends object>(name: string, units: number, work: () => T): T | null {
  const allowance = open(name, units);
  try {
    return runWithin(allowance, work);
  } catch (error) {
    if (error instanceof TooExpensiveError && error.isOf(allowance)) return null;
    throw error;
  }
}

/** A budget that lasts for longer than one work, of which some units are spent already. */
export interface Budget {
  readonly units: number;
  readonly spent: number;
  /** What an error says once it is used up. */
  readonly message: string;
}

/** As `withAllowance`, with what is left of a budget. */
export function withinBudget<T>({ units, spent, message }: Budget, work: () => T): T {
  return runWithin({ message, end: meter.used + Math.max(0, units - spent), outer: meter.innermost }, work);
}

/** Charges all open allowances. @param units a whole number, to be exact @throws TooExpensiveError if one is used up */
export function spend(units: number): void {
  meter.used += Math.min(units, MAX_CHARGE);
  if (meter.used > meter.limit) throw stop();
}

/**
 * Does work whose charges count for nothing: a process that remembers its result spends as much as one that does it.
 * The work has to be bounded otherwise.
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

/** Units spent by this process so far. The difference of two readings is deterministic. */
export function unitsSpent(): number {
  return meter.used;
}

/** The units that the open allowances have left; `Infinity` without any. */
export function unitsLeft(): number {
  return Math.max(0, meter.limit - meter.used);
}

/** Price in units of reading or making a text. */
export function priceOfText({ length }: { readonly length: number }): number {
  return 1 + Math.ceil(length / CHARACTERS_PER_UNIT);
}

const CHARACTERS_PER_UNIT = 16;

/** Keeps the meter exact, whatever the sum of some charge was. */
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

/** The error of the allowance that ends first, the outer one of two. No more than its units stay charged. */
function stop(): TooExpensiveError {
  let first: Allowance | null = null;
  for (let allowance = meter.innermost; allowance; allowance = allowance.outer)
    if (!first || allowance.end <= first.end) first = allowance;
  if (!first) throw new TypeError('No allowance is open');
  meter.used = first.end + 1;
  return new TooExpensiveError(first);
}
