import { DatabaseError } from 'pg';

/** The database can't be reached or does not answer in time. It may have done what was asked. */
export class DatabaseAwayError extends Error {
  readonly code = 'DATABASE_AWAY';
}

export function isDatabaseAway(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'DATABASE_AWAY';
}

/** Codes of a server that starts, stops, is read-only after a failover, or does not have the database yet. */
const AWAY: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25006', '3D000']);
/** The classes of codes for broken connections, and for a server that has no room: disk, memory, connections. */
const AWAY_CLASSES: ReadonlySet<string> = new Set(['08', '53']);

/** Turns an error of a statement into a `DatabaseAwayError` if the connection is its cause. */
export function toDatabaseError(error: unknown): unknown {
  if (!isAboutTheWay(error)) return error;
  const reason = error instanceof Error && error.message !== '' ? error.message : 'no connection';
  return new DatabaseAwayError(`The database does not answer: ${reason}`, { cause: error });
}

/** Errors of the server carry a code of SQL; errors of the connection do not. */
function isAboutTheWay(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    const { code = '' } = error;
    return AWAY.has(code) || AWAY_CLASSES.has(code.slice(0, 2));
  }
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}

/** True for an error of the database about an event that says something else than the one with its number. */
export function isContradiction(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'events_say_one_thing';
}

/**
 * Classes of codes for data that the database refuses each time: values it can't hold (22), broken constraints (23),
 * and values beyond its limits (54).
 */
const REFUSED_CLASSES: ReadonlySet<string> = new Set(['22', '23', '54']);

const SQL_CODE = /^[0-9A-Z]{5}$/;

/** True for an error that the same statement meets again. JavaScript throws a `RangeError` for too long a text. */
export function isDataRefused(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return SQL_CODE.test(error.code) && REFUSED_CLASSES.has(error.code.slice(0, 2));
}
