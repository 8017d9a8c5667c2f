import { GraphError } from './errors.ts';
import { isContainer, isJsonList, isJsonObject } from './json.ts';

/**
 * So much may a value take that a call is given, a person is asked about or a channel holds. The journal carries it up to
 * three times, and has to be written within one workflow task, by an embedded database too.
 */
export const MAX_VALUE_BYTES = 8_000_000;

/** @throws GraphError `PAYLOAD_TOO_LARGE`, which says what is too large */
export function refuseLarge(what: string, value: unknown): void {
  if (remainingBytes(MAX_VALUE_BYTES, value) < 0) throw tooLarge(what);
}

export function tooLarge(what: string): GraphError {
  return new GraphError('PAYLOAD_TOO_LARGE', `${what} takes over ${MAX_VALUE_BYTES} bytes`);
}

/** About how many bytes a value takes as JSON text in UTF-8, without writing it. */
export function jsonSize(value: unknown): number {
  if (typeof value === 'string') return textSize(value);
  if (!isContainer(value)) return 8;
  let size = 2;
  if (isJsonList(value)) for (const item of value) size += jsonSize(item) + 1;
  else if (isJsonObject(value)) for (const key in value) size += textSize(key) + 2 + jsonSize(value[key]);
  return size;
}

/**
 * How many of so many bytes are left after a value is written as JSON, about as `jsonSize` counts.
 * @returns less than 0 when it takes more; then the rest of it has not been looked at
 */
export function remainingBytes(room: number, value: unknown): number {
  if (typeof value === 'string') return room - (value.length > room ? value.length : textSize(value));
  if (!isContainer(value)) return room - 8;
  let left = room - 2;
  if (isJsonList(value)) {
    for (let at = 0; at < value.length && left >= 0; at += 1) left = remainingBytes(left - 1, value[at]);
    return left;
  }
  if (isJsonObject(value)) {
    for (const key in value) if (left >= 0) left = remainingBytes(left - textSize(key) - 2, value[key]);
  }
  return left;
}

/** A letter beyond ASCII takes three bytes at most, a pair of surrogates four. */
function textSize(text: string): number {
  let size = text.length + 2;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) size += 2;
  return size;
}
