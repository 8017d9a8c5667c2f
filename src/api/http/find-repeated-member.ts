import { toPointer } from '../../graph/values/index.ts';

/** An object or a list that is open at a place of a JSON text. */
interface Container {
  /** The member names of an object so far; `null` for a list. */
  readonly names: Set<string> | null;
  /** The current member or element. */
  at: string | number;
  expectsName: boolean;
}

/**
 * Finds a member whose object has another member of the same name. `JSON.parse` keeps only the last one, other readers
 * keep the first.
 * @param text valid JSON
 * @returns its JSON Pointer, or `null`
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

/** Takes a character outside strings. */
function takeSign(open: Container[], sign: string): void {
  const top = open.at(-1);
  if (sign === '{') open.push({ names: new Set(), at: '', expectsName: true });
  else if (sign === '[') open.push({ names: null, at: 0, expectsName: false });
  else if (sign === '}' || sign === ']') open.pop();
  else if (sign === ',' && top?.names) top.expectsName = true;
  else if (sign === ',' && top) top.at = Number(top.at) + 1;
}

/** Takes a string. @returns true if it is a name that its object has already */
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

/** The place of the quotation mark that ends the string: the next one after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}
