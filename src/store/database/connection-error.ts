import { DatabaseError } from 'pg';
import { DatabaseAwayError } from './database-away.ts';

/** Codes of a server that is starting, stopping, read-only after a failover, or does not have the database yet. */
const AWAY: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25006', '3D000']);
/** Classes of codes for broken connections, and for a server without enough disk, memory or connections. */
const AWAY_CLASSES: ReadonlySet<string> = new Set(['08', '53']);

/** Wraps an error of a statement in a `DatabaseAwayError` if the connection is its cause. */
export function toDatabaseError(error: unknown): unknown {
  if (!isConnectionError(error)) return error;
  const reason = error instanceof Error && error.message !== '' ? error.message : 'no connection';
  return new DatabaseAwayError(`The database does not answer: ${reason}`, { cause: error });
}

/**
 * Returns true for an error of the connection: errors of the server have an SQL error code, errors of the connection do
 * not.
 */
function isConnectionError(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    const { code = '' } = error;
    return AWAY.has(code) || AWAY_CLASSES.has(code.slice(0, 2));
  }
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}
