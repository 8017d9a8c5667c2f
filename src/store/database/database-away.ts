import { DatabaseError } from 'pg';

/** The database can't be reached, or does not answer in time. What was asked of it may have been done all the same. */
export class DatabaseAwayError extends Error {
  readonly code = 'DATABASE_AWAY';
}

export function isDatabaseAway(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'DATABASE_AWAY';
}

/**
 * The server starts, stops, has no connection left, or lets nobody write since another one has taken over; or its
 * database is not made yet.
 */
const AWAY: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300', '25006', '3D000']);
/** Connections that break, or don't come about. */
const CONNECTION_CLASS = '08';

/** Tells what is wrong with the way to the database from what the database says of a statement. */
export function toDatabaseError(error: unknown): unknown {
  if (!isAboutTheWay(error)) return error;
  const reason = error instanceof Error && error.message !== '' ? error.message : 'no connection';
  return new DatabaseAwayError(`The database does not answer: ${reason}`, { cause: error });
}

/** What a server says carries a code of SQL's; what comes of the way to it does not. */
function isAboutTheWay(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    const { code = '' } = error;
    return AWAY.has(code) || code.startsWith(CONNECTION_CLASS);
  }
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}
