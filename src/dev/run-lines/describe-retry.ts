import { hideErrorOf } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { Retrying } from '../../store/inspection/list-retrying.ts';
import { escapeInvisible } from './escape-invisible.ts';

/** Describes a call that has failed and is made again. @param now milliseconds since the epoch */
export function describeRetry(
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
