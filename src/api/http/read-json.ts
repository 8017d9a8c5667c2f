import {
  isDeeperThan,
  isJsonList,
  isJsonObject,
  findLosses,
  MAX_INPUT_DEPTH,
  mediaTypeOf,
  messageOf,
  toPointer,
} from '../../graph/values/index.ts';
import type { JsonLoss } from '../../graph/values/index.ts';
import { ApiError } from './errors.ts';

/**
 * Decodes a JSON body and refuses JSON that two parsers may read differently.
 * @param name what the messages of errors call the text
 * @returns the text, which is valid JSON
 * @throws ApiError 400 if it is not UTF-8 or not JSON; 422 if it is nested too deeply, repeats a member, or has a number
 * outside the range of a double or an integer that a double does not keep
 */
export function readJsonText(bytes: Uint8Array, name = 'The body'): string {
  const text = decodeText(bytes, name);
  const value = parse(text, name);
  if (isTooDeep(value)) throw refused(`${name} is nested deeper than ${MAX_INPUT_DEPTH} levels`, '', 'Too deep');
  const infinite = findInfinite(value);
  if (infinite)
    throw refused(
      `${name} has a number that is out of range`,
      toPointer(infinite),
      'A number must be between -1.8e308 and 1.8e308',
    );
  for (const { kind, path } of findLosses(text)) {
    const { detail, message } = LOSSES[kind];
    throw refused(`${name} ${detail}`, toPointer(path), message);
  }
  return text;
}

/** Returns true if JSON is nested deeper than 100 levels. */
export function isTooDeep(value: unknown): boolean {
  return isDeeperThan(MAX_INPUT_DEPTH, value);
}

const LOSSES: Readonly<Record<JsonLoss['kind'], { readonly detail: string; readonly message: string }>> = {
  'repeated member': { detail: 'names a member twice', message: 'This member comes more than once' },
  'rounded integer': {
    detail: 'has an integer that a JSON number does not keep',
    message: 'An integer beyond 2^53 is only kept as a text, in quotation marks',
  },
};

/** Decodes UTF-8. A byte order mark is ignored, as RFC 8259, section 8.1, allows. @throws ApiError 400 */
export function decodeText(bytes: Uint8Array, name = 'The body'): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ApiError('MALFORMED_JSON', `${name} is not valid UTF-8`, { cause: error });
  }
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError('MALFORMED_JSON', `${name} is no JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the path of a number that became infinite when parsed, such as `1e999`. */
function findInfinite(value: unknown): readonly string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : [];
  if (!isJsonList(value) && !isJsonObject(value)) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = findInfinite(inner);
    if (found) return [name, ...found];
  }
  return null;
}

function refused(detail: string, path: string, message: string): ApiError {
  return new ApiError('INVALID_REQUEST', detail, { issues: [{ path, message }] });
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PARAMETER = new RegExp(`^\\s*(${TOKEN})=(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))\\s*$`);

const JSON_TYPE = 'application/json';

/** Requires an unencoded JSON body, as `requirePlainBody` does (RFC 8259, section 8.1). @throws ApiError 415 */
export function requirePlainJson(headers: Headers): void {
  requirePlainBody(headers, [JSON_TYPE]);
}

/**
 * Requires a body of one of some media types in UTF-8, without a content encoding.
 * @returns its media type in lower case, without parameters
 * @throws ApiError 415
 */
export function requirePlainBody(headers: Headers, mediaTypes: readonly string[]): string {
  const type = headers.get('content-type') ?? '';
  const mediaType = mediaTypeOf(type);
  if (!mediaTypes.includes(mediaType) || !type.split(';').slice(1).every(isAccepted))
    throw notTaken(
      `The body must be ${mediaTypes.join(' or ')} in UTF-8, not ${type === '' ? 'of no type' : `"${type}"`}`,
    );
  const coding = headers.get('content-encoding') ?? 'identity';
  if (coding.trim().toLowerCase() !== 'identity')
    throw notTaken(`The body must come as it is, not in the coding "${coding}"`, { 'accept-encoding': 'identity' });
  return mediaType;
}

/** Accepts every parameter except a charset other than UTF-8; the other parameters have no meaning here. */
function isAccepted(parameter: string): boolean {
  if (parameter.trim() === '') return true;
  const [, name = '', quoted, token = ''] = PARAMETER.exec(parameter) ?? [];
  if (name === '') return false;
  return name.toLowerCase() !== 'charset' || (quoted ?? token).toLowerCase() === 'utf-8';
}

function notTaken(message: string, headers: Readonly<Record<string, string>> = {}): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', message, { headers });
}
