import type { Json } from '../json.ts';
import { abbreviate } from '../text.ts';

/** Writes what a schema says, cut to a readable length. */
export function quoteSchema(value: Json): string {
  return abbreviate(JSON.stringify(value), MAX_QUOTED);
}

const MAX_QUOTED = 120;
