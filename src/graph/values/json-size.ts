import { GraphError } from './errors.ts';
import { isContainer, isJsonList, isJsonObject } from './json.ts';

/**
 * Limit in bytes of a value of a call, an approval or a channel. The journal carries a value up to three times, and
 * must be written within one workflow task, even by an embedded database.
 */
export const MAX_VALUE_BYTES = 8_000_000;

/** A larger value is passed by reference, because payloads and histories have limits. */
export const MAX_INLINE_BYTES = 65_536;

/** @throws GraphError `PAYLOAD_TOO_LARGE`, naming `subject`, when a value is over the limit */
export function requireAllowedSize(subject: string, value: unknown): void {
  if (remainingBytes(MAX_VALUE_BYTES, value) < 0) throw tooLargeError(subject);
}

export function tooLargeError(subject: string): GraphError {
  return new GraphError('PAYLOAD_TOO_LARGE', `${subject} takes over ${MAX_VALUE_BYTES} bytes`);
}

/** Returns approximately the bytes of a value as JSON text in UTF-8, without making the text. */
export function jsonSize(value: unknown): number {
  if (typeof value === 'string') return textSize(value);
  if (!isContainer(value)) return SCALAR_SIZE;
  let size = 2;
  if (isJsonList(value)) for (const item of value) size += jsonSize(item) + 1;
  else if (isJsonObject(value)) for (const key in value) size += textSize(key) + 2 + jsonSize(value[key]);
  return size;
}

/**
 * Subtracts approximately the `jsonSize` of a value from a number of bytes. It stops once the bytes are used up.
 * @returns less than 0 if the value takes more
 */
export function remainingBytes(limit: number, value: unknown): number {
  if (typeof value === 'string') return limit - (value.length > limit ? value.length : textSize(value));
  if (!isContainer(value)) return limit - SCALAR_SIZE;
  let remaining = limit - 2;
  if (isJsonList(value)) {
    for (let at = 0; at < value.length && remaining >= 0; at += 1) remaining = remainingBytes(remaining - 1, value[at]);
    return remaining;
  }
  if (isJsonObject(value)) {
    for (const key in value) if (remaining >= 0) remaining = remainingBytes(remaining - textSize(key) - 2, value[key]);
  }
  return remaining;
}

/** The approximate bytes of a number, a boolean or `null`. */
export const SCALAR_SIZE = 8;

/** Returns an upper bound: a UTF-16 unit beyond ASCII takes at most three bytes, a surrogate pair four. */
export function textSize(text: string): number {
  let size = text.length + 2;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) size += 2;
  return size;
}
