import { hasCode } from '../../graph/values/index.ts';

/** The database can't be reached or did not answer in time. The statement may have been executed. */
export class DatabaseAwayError extends Error {
  readonly code = 'DATABASE_AWAY';
}

export function isDatabaseAway(error: unknown): boolean {
  return hasCode(error, 'DATABASE_AWAY');
}

const MAX_PAUSE_MS = 2_000;

/** Waits before another try, longer after each one, up to two seconds. @param tries the number of failed ones */
export async function pauseBeforeRetry(tries: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.min(tries * 200, MAX_PAUSE_MS)));
}

/** Returns true for the database's error about an event whose number is stored with a different content. */
export function isContradiction(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'events_say_one_thing';
}

/**
 * Classes of codes for data that the database always refuses: values that it can't represent (22), violated constraints
 * (23), and exceeded limits (54).
 */
const REFUSED_CLASSES: ReadonlySet<string> = new Set(['22', '23', '54']);

const SQL_CODE = /^[0-9A-Z]{5}$/;

/**
 * Returns true for an error that repeating the statement can't avoid. JavaScript throws a `RangeError` for a text that
 * is too long.
 */
export function isDataRefused(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return SQL_CODE.test(error.code) && REFUSED_CLASSES.has(error.code.slice(0, 2));
}
