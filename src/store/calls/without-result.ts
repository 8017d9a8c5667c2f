import type { RunEvent } from '../../graph/journal/index.ts';

/** The characters at the begin of an event in which all stands that comes before its result. */
export const HEAD_LENGTH = 8_192;
/** The characters at the end of an event in which all stands that comes after its result. */
export const TAIL_LENGTH = 1_024;

/** Fields without quotes in them; what a text holds has its quotes escaped, so that no result matches. */
const FIELDS_AFTER = /(?:,"(?:attempts|durationMs|idempotencyKey|local)":(?:[\d.]+|true|"[^"\\]*"))+\}$/;
const RESULT = ',"result":';

/**
 * Reads the end of a call from both ends of its text, as written by `JSON.stringify`, without the result between them.
 * @returns `null` for an event without a result
 */
export function withoutResult(head: string, tail: string): RunEvent | null {
  const until = head.indexOf(RESULT);
  const [after] = FIELDS_AFTER.exec(tail) ?? [];
  return until < 0 || after === undefined ? null : JSON.parse(head.slice(0, until) + after);
}
