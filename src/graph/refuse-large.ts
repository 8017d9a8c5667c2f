import { GraphError } from './errors.ts';
import { roomAfter } from './json.ts';

/**
 * So much may a value take that a call is given, a person is asked about or a channel holds. The journal carries it up to
 * three times, and has to be written within one workflow task, by an embedded database too.
 */
export const MAX_VALUE_BYTES = 8_000_000;

/** @throws GraphError `PAYLOAD_TOO_LARGE`, which says what is too large */
export function refuseLarge(what: string, value: unknown): void {
  if (roomAfter(MAX_VALUE_BYTES, value) < 0) throw tooLarge(what);
}

export function tooLarge(what: string): GraphError {
  return new GraphError('PAYLOAD_TOO_LARGE', `${what} takes over ${MAX_VALUE_BYTES} bytes`);
}
