import { isContainer } from './json.ts';
import type { Json } from './json.ts';
import { isKeptInteger } from './decimal.ts';
import { toPointer } from './json-pointer.ts';
import { toJson } from './to-json.ts';

/** A part of a JSON text that parsing does not keep, or that other parsers read differently. */
export interface JsonLoss {
  readonly kind: 'repeated member' | 'rounded integer';
  readonly path: readonly (string | number)[];
  /** The index of the member's name, or of the number, in the text. */
  readonly offset: number;
  /** The member's name or the digits of the number. */
  readonly text: string;
}

/** A JSON text from which parsing would lose something. The message names what is lost and where. */
export class JsonLossError extends SyntaxError {
  override readonly name = 'JsonLossError';
  readonly pointer: string;
  readonly offset: number;

  constructor({ kind, path, offset, text }: JsonLoss) {
    const pointer = toPointer(path);
    super(`${MESSAGES[kind](text)}, at ${pointer === '' ? 'the top' : pointer}`);
    this.pointer = pointer;
    this.offset = offset;
  }
}

const MESSAGES: Readonly<Record<JsonLoss['kind'], (text: string) => string>> = {
  'repeated member': (name) => `The member ${JSON.stringify(name)} comes more than once`,
  'rounded integer': (digits) => `The number ${digits} has more digits than a JSON number keeps: write it as a text`,
};

/**
 * Parses a JSON document, such as a definition or a request. A byte order mark is ignored (RFC 8259, section 8.1).
 * @throws SyntaxError for a text that is no JSON
 * @throws JsonLossError for a repeated member, or an integer that a double does not keep
 */
export function parseDocument(text: string): Json {
  const json = withoutByteOrderMark(text);
  const value = toJson(JSON.parse(json));
  for (const loss of findLosses(json)) throw new JsonLossError(loss);
  return value;
}

/**
 * Parses JSON that another system has made. Of repeated members the last one counts. A byte order mark is ignored.
 * @param isText returns true for a path whose schema wants a text: there, an integer that a double does not keep becomes
 * the text of its digits
 * @throws SyntaxError for a text that is no JSON
 * @throws JsonLossError for any other integer that a double does not keep
 */
export function parseOutsideJson(text: string, isText: (path: JsonLoss['path']) => boolean = () => false): Json {
  const json = withoutByteOrderMark(text);
  // The copy is new, so it may be changed in place; it also limits the depth of all paths.
  const value = toJson(JSON.parse(json));
  if (!LONG_INTEGER.test(json)) return value;
  const holder = { value };
  for (const { kind, path, offset, text: digits } of findLosses(json)) {
    const place = kind === 'repeated member' ? null : locationOfPart(holder, ['value', ...path]);
    if (!place || Reflect.get(place.container, place.key) !== Number(digits)) continue;
    if (!isText(path)) throw new JsonLossError({ kind, path, offset, text: digits });
    Reflect.set(place.container, place.key, digits);
  }
  return holder.value;
}

/** Where a part of a value is. */
interface PartLocation {
  readonly container: object;
  readonly key: string | number;
}

/** Finds a part by its path; `null` if it was replaced by a later member of the same name. */
function locationOfPart(container: object, [key = '', ...inner]: JsonLoss['path']): PartLocation | null {
  if (!Object.hasOwn(container, key)) return null;
  if (inner.length === 0) return { container, key };
  const part: unknown = Reflect.get(container, key);
  return isContainer(part) ? locationOfPart(part, inner) : null;
}

/** What a text must contain to have an integer that a double does not keep; the digits of a fraction don't count. */
export const LONG_INTEGER = /(?<![\d.])\d{16}/;

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** An object or an array that is open at the current position of a JSON text. */
interface OpenContainer {
  /** The member names of the object so far; `null` for an array. */
  readonly names: Set<string> | null;
  /** The current member name or element index. */
  at: string | number;
  expectsName: boolean;
}

/**
 * Finds the repeated members and the integers that a double does not keep.
 * @param json valid JSON
 */
export function* findLosses(json: string): Generator<JsonLoss> {
  const open: OpenContainer[] = [];
  const pathHere = (): (string | number)[] => open.map(({ at }) => at);
  for (let at = 0; at < json.length;) {
    const sign = json.charAt(at);
    const end = endOfToken(json, at);
    if (sign === '"') {
      const top = open.at(-1);
      if (top && isRepeated(top, () => json.slice(at, end)))
        yield { kind: 'repeated member', path: pathHere(), offset: at, text: String(top.at) };
    } else if (end - at > 15 && !isKeptInteger(json.slice(at, end))) {
      yield { kind: 'rounded integer', path: pathHere(), offset: at, text: json.slice(at, end) };
    } else readPunctuation(open, sign);
    at = end;
  }
}

/** Returns the end of a string, a number, or a single character. */
function endOfToken(json: string, start: number): number {
  const code = json.charCodeAt(start);
  if (code === QUOTE) return endOfString(json, start) + 1;
  if (code !== MINUS && !isDigit(code)) return start + 1;
  NUMBER_END.lastIndex = start;
  return NUMBER_END.exec(json)?.index ?? json.length;
}

const QUOTE = 0x22;
const MINUS = 0x2d;
/** The first character after a number. */
const NUMBER_END = /[^\d.eE+-]/g;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Handles a character outside strings and numbers. */
function readPunctuation(open: OpenContainer[], sign: string): void {
  const top = open.at(-1);
  if (sign === '{') open.push({ names: new Set(), at: '', expectsName: true });
  else if (sign === '[') open.push({ names: null, at: 0, expectsName: false });
  else if (sign === '}' || sign === ']') open.pop();
  else if (sign === ',' && top?.names) top.expectsName = true;
  else if (sign === ',' && top) top.at = Number(top.at) + 1;
}

/** Handles a string. @returns true if it is a member name that its object already has */
function isRepeated(top: OpenContainer, quoted: () => string): boolean {
  if (!top.names || !top.expectsName) return false;
  const name = readMemberName(quoted());
  const isKnown = top.names.has(name);
  top.names.add(name);
  top.at = name;
  top.expectsName = false;
  return isKnown;
}

function readMemberName(quoted: string): string {
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
