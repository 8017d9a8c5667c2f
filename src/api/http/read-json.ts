import { isDeeperThan, isJsonList, isJsonObject, messageOf, toPointer } from '../../graph/values/index.ts';
import { ApiError } from './errors.ts';
import { findRepeatedMember } from './find-repeated-member.ts';

const MAX_DEPTH = 100;

/**
 * Decodes a body and refuses JSON that two readers may read in two ways.
 * @returns its text, which is valid JSON
 * @throws ApiError 400 if it is not UTF-8 or no JSON; 422 if it is too deep, repeats a member or has a number that no
 *   double can hold
 */
export function readJsonText(bytes: Uint8Array): string {
  const text = decode(bytes);
  const value = parse(text);
  if (isDeeperThan(MAX_DEPTH, value))
    throw refused(`The body is nested deeper than ${MAX_DEPTH} levels`, { path: '', message: 'Too deep' });
  const repeated = findRepeatedMember(text);
  if (repeated !== null)
    throw refused('The body names a member twice', { path: repeated, message: 'This member comes more than once' });
  const infinite = findInfinite(value);
  if (infinite)
    throw refused('The body has a number that is out of range', {
      path: toPointer(infinite),
      message: 'A number must be between -1.8e308 and 1.8e308',
    });
  return text;
}

/** A byte order mark stays in the text, where it is no JSON (RFC 8259, section 8.1). */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ApiError('MALFORMED_JSON', 'The body is not valid UTF-8', { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError('MALFORMED_JSON', `The body is no JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns where a number is that became infinite on reading, such as `1e999`. */
function findInfinite(value: unknown): readonly string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : [];
  if (!isJsonList(value) && !isJsonObject(value)) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = findInfinite(inner);
    if (found) return [name, ...found];
  }
  return null;
}

function refused(detail: string, issue: { readonly path: string; readonly message: string }): ApiError {
  return new ApiError('INVALID_REQUEST', detail, { issues: [issue] });
}
