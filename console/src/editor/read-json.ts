import { parse, printParseErrorCode } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import type { EditorIssue } from './editor-issue.ts';

/** What a text says, or what keeps it from being JSON. */
export type ReadJson = { readonly value: unknown } | { readonly issues: readonly EditorIssue[] };

/** Reads a text as JSON (RFC 8259). */
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
