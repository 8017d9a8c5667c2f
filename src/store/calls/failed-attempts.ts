import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { RunError, TaskFailure } from '../../graph/values/index.ts';

/** A failed attempt of a call. */
export interface FailedAttempt {
  /** RFC 3339. */
  readonly at: string;
  readonly error: RunError;
}

/** The texts of attempts that have failed at a time. They are texts because JSON of PostgreSQL can't be put together. */
export function attemptTexts(failures: readonly (TaskFailure | undefined)[], at: string): string[] {
  return failures.flatMap((failure) => (failure ? [JSON.stringify({ at, error: failure.error })] : []));
}

/** Reads such a text. @throws TypeError for any other */
export function toFailedAttempt(text: string): FailedAttempt {
  const value: unknown = JSON.parse(text);
  if (isFailedAttempt(value)) return value;
  throw new TypeError('The ledger holds what is no attempt');
}

function isFailedAttempt(value: unknown): value is FailedAttempt {
  return typeof value === 'object' && value !== null && 'at' in value && 'error' in value;
}

/** The attempts of a row, and others that have failed now. */
export function withAttempts(
  failures: readonly (TaskFailure | undefined)[],
  at: string,
): RawBuilder<readonly string[]> {
  return sql<readonly string[]>`attempts || ${attemptTexts(failures, at)}::text[]`;
}
