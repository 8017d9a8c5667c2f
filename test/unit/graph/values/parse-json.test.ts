import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonLossError, parseOutsideJson, parseDocument } from '../../../../src/graph/values/parse-json.ts';
import { allowsText } from '../../../../src/graph/values/schema-parts.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';

function lossOf(work: () => unknown): { readonly pointer: string; readonly offset: number } | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof JsonLossError) return { pointer: error.pointer, offset: error.offset };
    throw error;
  }
}

/** Numbers that are the same after they were parsed and written again. */
const KEPT = [
  '0',
  '-0',
  '9007199254740991',
  '-9007199254740991',
  '9007199254740992',
  '1000000000000000000',
  '100000000000000000000000',
  '1234567890123456800',
  '0.12345678901234567890123',
  '3.14159265358979323846264',
  '1.2345678901234567890e30',
  '1e308',
];

const ROUNDED = [
  '9007199254740993',
  '-9007199254740993',
  '1234567890123456789',
  '12345678901234567890',
  '100000000000000000000001',
  '9007199254740993.0',
  '12345678901234567890.25',
];

describe('an integer in JSON', () => {
  test.each(KEPT)('%s is kept', (digits) => {
    expect(parseDocument(`{"n":[${digits}]}`)).toEqual({ n: [Number(digits)] });
    expect(parseOutsideJson(`{"n":[${digits}]}`)).toEqual({ n: [Number(digits)] });
  });

  test.each(ROUNDED)('%s would be rounded, so it is refused at its path', (digits) => {
    for (const parse of [parseDocument, parseOutsideJson]) {
      const text = `{"a":"9007199254740993","n/m":[1,${digits}]}`;
      expect(lossOf(() => parse(text))).toEqual({ pointer: '/n~1m/1', offset: text.lastIndexOf(digits) });
      expect(lossOf(() => parse(digits))).toEqual({ pointer: '', offset: 0 });
    }
  });

  test.each(ROUNDED)('%s becomes the text of its digits where a text is expected', (digits) => {
    const schema = { properties: { id: { type: 'string' }, ids: { items: { type: ['string', 'null'] } } } };
    const parsed = parseOutsideJson(`{"id":${digits},"ids":[${digits}]}`, (path) => allowsText(schema, path));
    expect(parsed).toEqual({ id: digits, ids: [digits] });
    expect(() => parseOutsideJson(`{"other":${digits}}`, (path) => allowsText(schema, path))).toThrow(/\/other$/);
  });

  test('stays as it is inside of strings', () => {
    const text = String.raw`{"1234567890123456789":"\"1234567890123456789\\","b":"1234567890123456789"}`;
    expect(parseDocument(text)).toEqual(JSON.parse(text));
    expect(parseOutsideJson(text)).toEqual(JSON.parse(text));
  });
});

describe('a member that comes twice', () => {
  const text = '{ "a": 1,\n "b": { "x": 1, "x": 2 } }';

  test('is refused in a document, at its second name', () => {
    expect(lossOf(() => parseDocument(text))).toEqual({ pointer: '/b/x', offset: text.lastIndexOf('"x"') });
  });

  test('is the last one in an answer', () => {
    expect(parseOutsideJson(text)).toEqual({ a: 1, b: { x: 2 } });
  });
});

test('a byte order mark is ignored', () => {
  expect(parseDocument('\uFEFF{"a":1}')).toEqual({ a: 1 });
  expect(parseOutsideJson('\uFEFF[]')).toEqual([]);
});

test.each(['', '{', '[1,]', 'NaN', '\uFEFF\uFEFF1'])('%j is no JSON', (text) => {
  expect(() => parseDocument(text)).toThrow(SyntaxError);
  expect(() => parseOutsideJson(text)).toThrow(SyntaxError);
});

test('what JSON.stringify writes is read as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(parseDocument(text)).toEqual(toJson(JSON.parse(text)));
      expect(parseOutsideJson(text)).toEqual(toJson(JSON.parse(text)));
    }),
  );
});

test.each([
  [9_007_199_254_740_991n, 9_007_199_254_740_991],
  [-5n, -5],
  [10n ** 18n, 1e18],
])('the bigint %s of code is the number that it is', (integer, number) => {
  expect(toJson({ wei: integer })).toEqual({ wei: number });
});

test.each([1_234_567_890_123_456_789n, -9_007_199_254_740_993n, 10n ** 400n])(
  'the bigint %s of code is refused with its path',
  (integer) => {
    expect(() => toJson({ wei: [integer] })).toThrow(/ at \/wei\/0 is no JSON value$/);
  },
);

describe('a text with many long integers', () => {
  const LONG = '1234567890123456789';

  test('is parsed in linear time, whether they are side by side or inside one another', { timeout: 5_000 }, () => {
    const side = `[${Array.from({ length: 50_000 }, () => LONG).join(',')}]`;
    expect(parseOutsideJson(side, () => true)).toEqual(Array.from({ length: 50_000 }, () => LONG));
    const inside = `${`[${LONG},`.repeat(50_000)}0${']'.repeat(50_000)}`;
    expect(() => parseOutsideJson(inside, () => true)).toThrow(/200 levels/);
  });

  test('keeps the last of members with one name, and members with any name', () => {
    expect(parseOutsideJson(`{"id":${LONG},"id":7,"__proto__":${LONG}}`, () => true)).toEqual(
      JSON.parse(`{"id":7,"__proto__":"${LONG}"}`),
    );
    expect(parseOutsideJson(`{"id":${LONG},"id":7}`)).toEqual({ id: 7 });
    expect(parseOutsideJson(`{"a":{"b":${LONG}},"a":[1]}`)).toEqual({ a: [1] });
  });
});
