import type { Json } from '../json.ts';
import { shortJson } from '../short-json.ts';

const MAX_QUOTED = 120;

/** Writes what a schema says, cut to a readable length. What is cut off is never written. */
export function quoteSchema(value: Json): string {
  return shortJson(value, MAX_QUOTED);
}
