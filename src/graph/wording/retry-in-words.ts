import { escapeInvisible } from '../values/escape-invisible.ts';

/** A call that has failed and waits for its next attempt. */
interface Retrying {
  readonly node: string;
  readonly index?: number | undefined;
  readonly attempt: number;
  /** As its reader may see it. */
  readonly lastError: { readonly code: string; readonly message: string } | null;
  readonly nextAttemptAt: string | null;
}

/** Describes a call that has failed and is made again. @param now milliseconds since the epoch */
export function retryInWords({ node, index, attempt, lastError, nextAttemptAt }: Retrying, now: number): string {
  const inMs = nextAttemptAt === null ? 0 : Math.max(0, Date.parse(nextAttemptAt) - now);
  const why = lastError ? `: ${lastError.code} ${lastError.message}` : '';
  const place = `${node}${index === undefined ? '' : `[${index}]`}`;
  return escapeInvisible(`${place}: attempt ${attempt} in ${Math.ceil(inMs / 1_000)} s${why}`.replaceAll('\n', ' '));
}
