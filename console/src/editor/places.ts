import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';

/** Finds where a JSON Pointer leads to in a text: to the value, or to the nearest one around it that is there. */
export function offsetOf(text: string, pointer: string): number {
  const root = parseTree(text);
  if (!root) return 0;
  const tokens = pointer.split('/').slice(1).map(unescape);
  for (let length = tokens.length; length > 0; length -= 1) {
    const found = findNodeAtLocation(root, toPath(root, tokens.slice(0, length)));
    if (found) return found.parent?.type === 'property' ? found.parent.offset : found.offset;
  }
  return root.offset;
}

function unescape(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Tokens are places in lists where they lead into one. */
function toPath(root: Node, tokens: readonly string[]): (string | number)[] {
  const path: (string | number)[] = [];
  for (const token of tokens) path.push(findNodeAtLocation(root, path)?.type === 'array' ? Number(token) : token);
  return path;
}

/** A place in a text, both from 0. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf('\n');
  return { line: before.split('\n').length - 1, column: offset - lastBreak - 1 };
}
