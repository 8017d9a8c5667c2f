import type { Json } from '../json.ts';

/** A value as templates insert it into text: objects and lists as JSON, `null` as nothing. */
export function toText(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}
