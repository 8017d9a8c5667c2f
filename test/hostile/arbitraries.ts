import * as fc from 'fast-check';

/* Random parts of definitions by untrusted clients. Each part is small, and expensive to process. Expressions are CEL. */

const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'hasOwnProperty',
  'then',
  '',
  '0',
  '/',
  '~1',
  '\u0000',
  '\ud800',
];
const ODD_TEXTS = [
  '',
  '\u0000',
  '\ud800',
  '\u202E\u2066',
  'a\u0301'.repeat(50),
  '{{ 1 + 1 }}',
  '{{ state }}',
  '{{',
  '\r\n\r\n',
  "'; drop table runs; --",
  '<script>alert(1)</script>',
  '🙂'.repeat(40),
  '../../etc/passwd',
  '$ref',
];
const ODD_NUMBERS = [0, -0, 1, -1, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 53) - 1, 0.1, 1e21, 4_294_967_296];

/** Values that are odd, deep, wide or long. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...ODD_TEXTS, ...ODD_NUMBERS, null, true),
  fc.constantFrom(...ODD_KEYS).map((key) => JSON.parse(`{${JSON.stringify(key)}:{"polluted":1}}`) as unknown),
  fc.integer({ min: 1, max: 98 }).map((levels) => nested(levels)),
  fc.integer({ min: 1, max: 40_000 }).map((length) => Array.from({ length }, (_, at) => at)),
  fc.integer({ min: 1, max: 20_000 }).map((size) => Object.fromEntries(numbered(size).map((at) => [`k${at}`, at]))),
  fc.integer({ min: 1, max: 900_000 }).map((length) => 'x'.repeat(length)),
  fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text) as unknown),
);

function nested(levels: number): unknown {
  return numbered(levels).reduce<unknown>((inner, at) => (at % 2 === 0 ? [inner] : { in: inner }), 1);
}

function numbered(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

/** Patterns that compile to large programs, or cause backtracking. */
const hostilePattern = fc.oneof(
  fc.constantFrom('(a+)+$', '(a|aa)*b', '.*.*.*.*=', '(?=a)b', '(?<name>a)\\k<name>', '[', 'a{1001}', '\\p{L}{500}'),
  fc.integer({ min: 1, max: 200 }).map((times) => 'a{1000}'.repeat(times)),
  fc.integer({ min: 1, max: 12 }).map((levels) => `${'('.repeat(levels)}a${'{9})'.repeat(levels)}`),
  fc.string({ maxLength: 40 }),
);

/** The maximum length of an expression by the specification. */
const MAX_LENGTH = 10_000;

interface Typed {
  readonly list: string;
  readonly bool: string;
  readonly text: string;
  readonly number: string;
  readonly any: string;
}

/* Expressions whose cost multiplies with each level, by type, so that most of them compile. */
const typed = fc.letrec<Typed>((tie: fc.LetrecTypedTie<Typed>) => {
  const [list, bool, text, number, any] = [tie('list'), tie('bool'), tie('text'), tie('number'), tie('any')];
  const shallow = { maxDepth: 4, depthIdentifier: 'expression' } as const;
  return {
    list: fc.oneof(
      shallow,
      fc.constantFrom('state.l', '[1, 2, 3]'),
      fc.tuple(list, any).map(([from, to]) => `${from}.map(x, ${to})`),
      fc.tuple(list, bool).map(([from, to]) => `${from}.filter(z, ${to})`),
      fc.tuple(list, list).map(([left, right]) => `(${left} + ${right})`),
      fc.tuple(any, fc.integer({ min: 1, max: 300 })).map(([item, times]) => `[${fill(item, times).join(', ')}]`),
    ),
    bool: fc.oneof(
      shallow,
      fc.constantFrom('true', 'state.s == state.o', '[state.l, state.l] == [state.l, state.l]'),
      hostilePattern.map((pattern) => `state.s.matches(${JSON.stringify(pattern)})`),
      fc.tuple(list, bool).map(([from, to]) => `${from}.exists(y, ${to})`),
      fc.tuple(list, bool).map(([from, to]) => `${from}.all(x, ${from}.exists(y, x == y && ${to}))`),
      fc.tuple(any, any).map(([left, right]) => `dyn(${left}) == dyn(${right})`),
      fc.tuple(text, text).map(([left, right]) => `${left}.contains(${right})`),
    ),
    text: fc.oneof(
      shallow,
      fc.constantFrom('state.s', "'a'", 'string(state.s)'),
      fc.tuple(text, text).map(([left, right]) => `(${left} + ${right})`),
      number.map((from) => `string(${from})`),
      fc.tuple(bool, text, text).map(([when, left, right]) => `(${when} ? ${left} : ${right})`),
    ),
    number: fc.oneof(
      shallow,
      fc.constantFrom('0', '9223372036854775807', '-9223372036854775808', 'run.visit'),
      list.map((from) => `size(${from})`),
      text.map((from) => `size(${from})`),
      fc.tuple(number, number).map(([left, right]) => `(${left} * ${right})`),
    ),
    any: fc.oneof(
      shallow,
      fc.constantFrom('state', 'state.o', 'state.r', 'null', '1.5', "timestamp('2024-01-01T00:00:00Z')"),
      list,
      bool,
      text,
      number,
      any.map((item) => `{'k': ${item}, 'l': ${item}}`),
    ),
  };
});

const isShort = ({ length }: string): boolean => length <= MAX_LENGTH;
const hostileExpression = typed.any.filter(isShort);
export const hostileCondition = typed.bool.filter(isShort);
export const hostileList = typed.list.filter(isShort);
export const hostileRoute = typed.text.filter(isShort);

/** Repeats a text, at most up to the allowed length. */
function fill(text: string, times: number): string[] {
  const room = Math.floor(MAX_LENGTH / (text.length + 2));
  return Array.from({ length: Math.max(1, Math.min(times, room)) }, () => text);
}

/** Text with many expressions. */
export const hostileText = fc.oneof(
  fc
    .tuple(hostileExpression, fc.integer({ min: 1, max: 400 }))
    .map(([expression, times]) =>
      `It is {{ ${expression} }} `.repeat(Math.min(times, Math.ceil(200_000 / expression.length))),
    ),
  fc.integer({ min: 1, max: 2_000 }).map((times) => `It is ${'{{ state.s }}'.repeat(times)}`),
);

/** A single expression, a text with many expressions, or a value. */
export const hostileTemplate = fc.oneof(
  { weight: 3, arbitrary: hostileExpression.map((expression) => `{{ ${expression} }}`) },
  { weight: 2, arbitrary: hostileText },
  { weight: 1, arbitrary: hostileValue },
);

const COMBINING = ['allOf', 'anyOf', 'oneOf'] as const;

/** Schemas whose cost multiplies with each level, whose references lead nowhere, or that are no schemas. */
export const hostileSchema: fc.Arbitrary<unknown> = fc.oneof(
  fc.tuple(fc.constantFrom(...COMBINING), fc.integer({ min: 1, max: 40 })).map(([by, levels]) => doubling(by, levels)),
  fc.constantFrom(...COMBINING).map((by) => ({
    $ref: '#/$defs/t',
    $defs: {
      t: {
        [by]: [
          { type: 'integer' },
          { type: 'array', items: { $ref: '#/$defs/t' } },
          { type: 'array', items: { $ref: '#/$defs/t' }, minItems: 1 },
        ],
      },
    },
  })),
  fc.constantFrom<unknown>(
    { $ref: '#' },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    { $ref: 'https://example.com/schema' },
    { $dynamicRef: '#node' },
    { type: 'nonsense' },
    { minLength: -1 },
    { multipleOf: 0 },
    { uniqueItems: true },
    { enum: Array.from({ length: 5_000 }, (_, at) => at) },
  ),
  hostilePattern.map((pattern) => ({ type: 'string', pattern })),
  hostilePattern.map((pattern) => ({ patternProperties: { [pattern]: { type: 'string' } } })),
  hostileValue,
);

function doubling(by: string, levels: number): unknown {
  const defs = numbered(levels).map((at) => [
    `d${at}`,
    at + 1 < levels ? { [by]: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] } : {},
  ]);
  return { $ref: '#/$defs/d0', $defs: Object.fromEntries(defs) };
}

/** Reducers by name or by an expression, and some invalid ones. */
export const hostileReducer: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>('append', 'merge', 'union', 'sum', 'messages', 'max', 'nothing', null),
  hostileExpression.map((expr) => ({ expr: expr.replaceAll(/state(\.\w)?/g, 'update').replaceAll('run.visit', '1') })),
  fc.integer({ min: 2, max: 900 }).map((times) => ({ expr: `[${Array(times).fill('update').join(', ')}]` })),
  fc.constant({ expr: 'update.exists(x, update.exists(y, x + y > 100000)) ? 1 : 2' }),
);
