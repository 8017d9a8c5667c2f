import { hideErrorOf } from '../redaction/hide-error.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { RunError } from '../values/errors.ts';
import { escapeInvisible } from '../values/escape-invisible.ts';

/** A call that has failed and waits for its next attempt. */
interface Retrying {
  readonly node: string;
  readonly index?: number;
  readonly attempt: number;
  readonly lastError: RunError | null;
  readonly nextAttemptAt: string | null;
}

/** Describes a call that has failed and is made again. @param now milliseconds since the epoch */
export function retryInWords(
  { node, index, attempt, lastError, nextAttemptAt }: Retrying,
  redaction: Redaction,
  now: number,
): string {
  const inMs = nextAttemptAt === null ? 0 : Math.max(0, Date.parse(nextAttemptAt) - now);
  const error = lastError && hideErrorOf({ ...lastError, node }, redaction);
  const why = error ? `: ${error.code} ${error.message}` : '';
  const place = `${node}${index === undefined ? '' : `[${index}]`}`;
  return escapeInvisible(`${place}: attempt ${attempt} in ${Math.ceil(inMs / 1_000)} s${why}`.replaceAll('\n', ' '));
}
