import {
  isDeeperThan,
  isJsonList,
  isJsonObject,
  MAX_INPUT_DEPTH,
  messageOf,
  toPointer,
} from '../../graph/values/index.ts';
import { ApiError } from './errors.ts';

/**
 * Decodes a JSON body and refuses JSON that two parsers may read differently.
 * @returns the text, which is valid JSON
 * @throws ApiError 400 if it is not UTF-8 or not JSON; 422 if it is nested too deeply, repeats a member or has a number
 * outside the range of a double
 */
export function readJsonText(bytes: Uint8Array): string {
  const text = decode(bytes);
  const value = parse(text);
  if (isDeeperThan(MAX_INPUT_DEPTH, value))
    throw refused(`The body is nested deeper than ${MAX_INPUT_DEPTH} levels`, { path: '', message: 'Too deep' });
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

/** Keeps a byte order mark in the text, so that parsing fails: it is not allowed in JSON (RFC 8259, section 8.1). */
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

function refused(detail: string, issue: { readonly path: string; readonly message: string }): ApiError {
  return new ApiError('INVALID_REQUEST', detail, { issues: [issue] });
}

/** An object or an array that is open at the current position of a JSON text. */
interface Container {
  /** The member names of the object so far; `null` for an array. */
  readonly names: Set<string> | null;
  /** The current member name or element index. */
  at: string | number;
  expectsName: boolean;
}

/**
 * Finds a repeated member name. `JSON.parse` keeps the last of such members, other parsers keep the first.
 * @param text valid JSON
 * @returns the JSON Pointer of the member, or `null`
 */
export function findRepeatedMember(text: string): string | null {
  const open: Container[] = [];
  let at = 0;
  while (at < text.length) {
    const sign = text.charAt(at);
    const end = sign === '"' ? endOfString(text, at) : at;
    if (sign !== '"') takeSign(open, sign);
    else if (isRepeated(open.at(-1), () => text.slice(at, end + 1)))
      return toPointer(open.map((container) => String(container.at)));
    at = end + 1;
  }
  return null;
}

/** Handles a character outside strings. */
function takeSign(open: Container[], sign: string): void {
  const top = open.at(-1);
  if (sign === '{') open.push({ names: new Set(), at: '', expectsName: true });
  else if (sign === '[') open.push({ names: null, at: 0, expectsName: false });
  else if (sign === '}' || sign === ']') open.pop();
  else if (sign === ',' && top?.names) top.expectsName = true;
  else if (sign === ',' && top) top.at = Number(top.at) + 1;
}

/** Handles a string. @returns true if it is a member name that its object already has */
function isRepeated(top: Container | undefined, quoted: () => string): boolean {
  if (!top?.names || !top.expectsName) return false;
  const name = readName(quoted());
  const isKnown = top.names.has(name);
  top.names.add(name);
  top.at = name;
  top.expectsName = false;
  return isKnown;
}

function readName(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

/** Returns the index of the closing quotation mark: the next one after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PARAMETER = new RegExp(`^\\s*(${TOKEN})=(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))\\s*$`);

/**
 * Requires an unencoded JSON body: `application/json` in UTF-8 (RFC 8259, section 8.1) without a content encoding.
 * @throws ApiError 415
 */
export function requirePlainJson(headers: Headers): void {
  const type = headers.get('content-type') ?? '';
  if (!isJson(type))
    throw notTaken(`The body must be application/json in UTF-8, not ${type === '' ? 'of no type' : `"${type}"`}`);
  const coding = headers.get('content-encoding') ?? 'identity';
  if (coding.trim().toLowerCase() !== 'identity')
    throw notTaken(`The body must come as it is, not in the coding "${coding}"`, { 'accept-encoding': 'identity' });
}

/** Returns the media type of a body in lower case, without its parameters. */
export function mediaTypeOf(headers: Headers): string {
  return essenceOf(headers.get('content-type') ?? '');
}

function essenceOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

function isJson(type: string): boolean {
  return essenceOf(type) === 'application/json' && type.split(';').slice(1).every(isTaken);
}

/** Accepts every parameter except a charset other than UTF-8; the other parameters have no meaning for JSON. */
function isTaken(parameter: string): boolean {
  if (parameter.trim() === '') return true;
  const [, name = '', quoted, token = ''] = PARAMETER.exec(parameter) ?? [];
  if (name === '') return false;
  return name.toLowerCase() !== 'charset' || (quoted ?? token).toLowerCase() === 'utf-8';
}

function notTaken(message: string, headers: Readonly<Record<string, string>> = {}): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', message, { headers });
}
