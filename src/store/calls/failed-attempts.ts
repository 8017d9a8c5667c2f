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

/** The end of an attempt. */
interface AttemptEnd {
  readonly status: string;
  readonly failures: number;
  readonly failure: TaskFailure;
}

/** As `withAttempts`, unless the row has this end already: its record is repeated if the answer to it was lost. */
export function withAttemptOnce({ status, failures, failure }: AttemptEnd, at: string): RawBuilder<readonly string[]> {
  return sql<readonly string[]>`case
    when status = ${status} and failures = ${failures} and failure::text = ${JSON.stringify(failure)} then attempts
    else ${withAttempts([failure], at)}
  end`;
}
