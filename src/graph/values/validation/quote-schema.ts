import { isJsonList, isJsonObject } from '../json.ts';
import type { Json } from '../json.ts';
import { abbreviate } from '../text.ts';

/** Writes what a schema says, cut to a readable length. What is cut off is never written. */
export function quoteSchema(value: Json): string {
  return abbreviate(beginningOf(value, MAX_QUOTED), MAX_QUOTED);
}

const MAX_QUOTED = 120;

/** Writes a value as JSON: all of it, or more than `length` characters of it. */
function beginningOf(value: Json, length: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, length));
  if (isJsonList(value)) return `[${beginningOfParts(value.values(), beginningOf, length)}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const member: Writer<string> = (key, rest) => `${beginningOf(key, rest)}:${beginningOf(value[key] ?? null, rest)}`;
  return `{${beginningOfParts(Object.keys(value).values(), member, length)}}`;
}

type Writer<Part> = (part: Part, length: number) => string;

function beginningOfParts<Part>(parts: Iterable<Part>, write: Writer<Part>, length: number): string {
  let text = '';
  for (const part of parts) {
    if (text.length > length) return text;
    text += (text === '' ? '' : ',') + write(part, length - text.length);
  }
  return text;
}
