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
  for (let at = 0; at < text.length; at++) {
    const top = open.at(-1);
    switch (text[at]) {
      case '{':
        open.push({ names: new Set(), at: '', expectsName: true });
        break;
      case '[':
        open.push({ names: null, at: 0, expectsName: false });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (top?.names) top.expectsName = true;
        else if (top) top.at = Number(top.at) + 1;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (top?.names && top.expectsName) {
          top.at = readName(text.slice(at, end + 1));
          top.expectsName = false;
          if (top.names.has(top.at)) return toPointer(open.map((container) => String(container.at)));
          top.names.add(top.at);
        }
        at = end;
        break;
      }
    }
  }
  return null;
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
