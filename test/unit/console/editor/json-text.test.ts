import { describe, expect, test } from 'vitest';
import { endOfToken, lineAt, offsetOf, readJson } from '../../../../console/src/editor/json-text.ts';

const TEXT = `{
  "nodes": {
    "a/b": { "type": "set" }
  },
  "edges": [
    { "from": "x" },
    { "from": "y" }
  ]
}`;

/** The line, from 1, and the text that begins there. */
function find(pointer: string): readonly [line: number, text: string] {
  const offset = offsetOf(TEXT, pointer);
  return [lineAt(TEXT, offset), TEXT.slice(offset, offset + 6)];
}

describe('a JSON Pointer', () => {
  test.each([
    ['/nodes/a~1b/type', 3, '"type"'],
    ['/edges/1', 7, '{ "fro'],
    ['/edges/1/from', 7, '"from"'],
    ['', 1, '{\n  "n'],
  ])('the JSON Pointer %j is resolved to the value’s position in the editor', (pointer, line, text) => {
    expect(find(pointer)).toEqual([line, text]);
  });

  test('the JSON Pointer of a missing value is resolved to its nearest parent in the editor', () => {
    expect(find('/edges/1/to')).toEqual([7, '{ "fro']);
    expect(find('/channels')).toEqual([1, '{\n  "n']);
    expect(offsetOf('', '/nodes')).toBe(0);
  });
});

test.each([
  ['"a\\"b": 1', 0, 6],
  ['"open', 0, 5],
  ['[-1.5e3]', 1, 7],
  ['true]', 0, 4],
  ['{}', 0, 1],
  ['{\n}', 1, 1],
  ['{}', 2, 2],
])('the JSON token of %j that begins at %i ends at %i', (text, offset, end) => {
  expect(endOfToken(text, offset)).toBe(end);
});

describe('a text', () => {
  test('the console’s editor parses a text that is JSON', () => {
    expect(readJson('{ "a": [1] }')).toEqual({ value: { a: [1] } });
  });

  test.each([
    ['{ "a": 1, }', 'A name in quotes is expected here'],
    ['{ "a" 1 }', 'A colon is expected here'],
    ['{ "a": 1 /* no */ }', 'JSON has no comments'],
    ['[1', 'A "]" is expected here'],
  ])('the console’s editor has an issue at an offset for a text that is no JSON: %j', (text, message) => {
    const read = readJson(text);
    expect('issues' in read && read.issues.map((issue) => issue.message)).toContain(message);
  });
});
