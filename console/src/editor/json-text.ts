import { parse, printParseErrorCode, findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { ParseError, Node } from 'jsonc-parser';

/** The parsed value of a text, or its syntax errors. */
type ReadJson = { readonly value: unknown } | { readonly issues: readonly EditorIssue[] };

/** Parses a text as JSON (RFC 8259). */
export function readJson(text: string): ReadJson {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { disallowComments: true });
  if (errors.length === 0) return { value };
  return {
    issues: errors.map(({ error, offset }) => ({
      offset,
      severity: 'error',
      message: WORDS[printParseErrorCode(error)] ?? 'This is no JSON',
    })),
  };
}

const WORDS: Readonly<Record<string, string>> = {
  CommaExpected: 'A comma is expected here',
  ColonExpected: 'A colon is expected here',
  ValueExpected: 'A value is expected here',
  PropertyNameExpected: 'A name in quotes is expected here',
  CloseBraceExpected: 'A "}" is expected here',
  CloseBracketExpected: 'A "]" is expected here',
  EndOfFileExpected: 'Nothing more is expected here',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfString: 'The text has no end',
};

/** Finds the offset of the value at a JSON Pointer; if there is none, of its nearest existing parent. */
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

/** Converts tokens of a JSON Pointer to a path: within an array, a token is an index. */
function toPath(root: Node, tokens: readonly string[]): (string | number)[] {
  const path: (string | number)[] = [];
  for (const token of tokens) path.push(findNodeAtLocation(root, path)?.type === 'array' ? Number(token) : token);
  return path;
}

/** The line of an offset in a text, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[\w.+-]+|[^\n]/y;

/** Finds the end of the token of JSON that begins at an offset; the offset itself at the end of a line. */
export function endOfToken(text: string, offset: number): number {
  TOKEN.lastIndex = offset;
  return TOKEN.test(text) ? TOKEN.lastIndex : offset;
}

/** A problem at a position of a text. */
export interface EditorIssue {
  readonly offset: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string | undefined;
}
