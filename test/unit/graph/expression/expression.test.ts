import { describe, expect, test } from 'vitest';
import { InvalidExpressionError, parseExpression } from '../../../../src/graph/expression/expression.ts';
import { GraphError } from '../../../../src/graph/values/errors.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const NAMES = ['state', 'run', 'item', 'index'] as const;
const evaluate = (source: string, state: Json = {}): Json =>
  parseExpression(source, NAMES).evaluate({ state, run: { visit: 1 }, item: null, index: null });

describe('the value of an expression', () => {
  test.each<[string, Json, Json]>([
    ['state.n + 1', { n: 1 }, 2],
    ['state.n / 2', { n: 1 }, 0.5],
    ['1 / 2', {}, 0],
    ['size(state.l) / 2', { l: [1, 2, 3] }, 1],
    ['(size(state.l) + 1) / 3', { l: [1, 2, 3] }, 1],
    ['int(state.n) / 2', { n: 3 }, 1.5],
    ['1.5 + 1', {}, 2.5],
    ['7 - 1.5', {}, 5.5],
    ['2 * 1.5', {}, 3],
    ['7 % 2.5', {}, 2],
    ['7 / 2.0', {}, 3.5],
    ['coalesce(state.n, 1) / 2', { n: null }, 0.5],
    ['"abcd".indexOf("d") / 2', {}, 1.5],
    ['[3].map(x, x / 2)', {}, [1.5]],
    ['state.l[size(state.l) - 1]', { l: [1, 2, 3] }, 3],
    ['state.l[state.n]', { l: [1, 2, 3], n: 1 }, 2],
    ['state.n % 2 == 0', { n: 4 }, true],
    ['state.n == 5 && state.n >= 5.0', { n: 5 }, true],
    ['state.n > 1 ? state.n : "none"', { n: 0 }, 'none'],
    ['true ? "a" : null', {}, 'a'],
    ['state.x == null', { x: null }, true],
    ['state.?o.?a.?b.orValue(0)', { o: null }, 0],
    ['state.?x', {}, null],
    ['[1, "a", null, {"k": state.n}]', { n: 1.5 }, [1, 'a', null, { k: 1.5 }]],
    ['state.l.map(x, x * 2).filter(x, x > 2)', { l: [1, 2, 3] }, [4, 6]],
    ['duration("90s")', {}, '90s'],
    ['timestamp("2024-01-01T00:00:00Z") + duration("1h")', {}, '2024-01-01T01:00:00.000Z'],
    ['uint(3)', {}, 3],
  ])('the expression %s has the expected value', (source, state, expected) => {
    expect(evaluate(source, state)).toEqual(expected);
  });
});

describe('numbers in expressions', () => {
  test.each<[string, Json, boolean]>([
    ['1 == 1.0', {}, true],
    ['1 == 1.5', {}, false],
    ['2.0 != 1 + 1', {}, false],
    ['size(state.l) == 1.0', { l: [1] }, true],
    ['[1, 2] == [1.0, 2.0]', {}, true],
    ['[[1]] == [[1.5]]', {}, false],
    ['{"a": 1} == {"a": 1.0}', {}, true],
    ['1 in [1.0]', {}, true],
    ['1.0 in [2]', {}, false],
    ['[1].exists(x, x == 1.0)', {}, true],
    ['(1 == 1.0) == (2 in [2.0])', {}, true],
    ['state.n == 1 && state.n == 1.0', { n: 1 }, true],
    ['1 in state.l && 1.0 in state.l', { l: [1] }, true],
  ])('an expression compares numbers by value, in any notation: %s', (source, state, expected) => {
    expect(evaluate(source, state)).toBe(expected);
  });

  test.each(['1 == "1"', '1.0 == true', '[1] == ["a"]', '1 in ["a"]'])(
    'the comparison %s of values that are never equal is refused',
    (source) => {
      expect(() => evaluate(source)).toThrow(InvalidExpressionError);
    },
  );
});

describe('a function in addition to standard CEL', () => {
  test.each<[string, Json, Json]>([
    ['state.l.join("-")', { l: ['a', 1, null, { x: 1 }] }, 'a-1--{"x":1}'],
    ['state.l.join()', { l: ['a', 'b'] }, 'ab'],
    ['state.l.last()', { l: [1, 2] }, 2],
    ['state.l.last()', { l: [] }, null],
    ['coalesce(state.x, "none")', { x: null }, 'none'],
    ['coalesce(state.x, "none")', { x: 0 }, 0],
    ['coalesce(state.?o.?x, "none")', {}, 'none'],
    ['coalesce(state.?o.?x, "none")', { o: { x: 1 } }, 1],
    ['json(state.o)', { o: { a: [1] } }, '{"a":[1]}'],
    ['parseJson("[1,{}]")', {}, [1, {}]],
    ['"aÉz".upperAscii()', {}, 'AÉZ'],
    ['"AÉZ".lowerAscii()', {}, 'aÉz'],
    ['" a ".trim()', {}, 'a'],
    ['"a,b".split(",")', {}, ['a', 'b']],
    ['"h😀llo".substring(1, 3)', {}, '😀l'],
    ['"hello".substring(1, 3)', {}, 'el'],
    ['"h😀llo".substring(state.n)', { n: 2 }, 'llo'],
    ['"h😀llo".indexOf("l")', {}, 2],
    ['"h😀llo".indexOf("l", 3)', {}, 3],
    ['"h😀llo".indexOf("z")', {}, -1],
    ['"h😀llo".lastIndexOf("l")', {}, 3],
    ['"h😀llo".lastIndexOf("l", 2)', {}, 2],
    ['"h😀llo".charAt(1)', {}, '😀'],
    ['"abc".charAt(3)', {}, ''],
    ['"a-a-a".replace("a", "b")', {}, 'b-b-b'],
    ['"a-a-a".replace("a", "b", 2)', {}, 'b-b-a'],
    ['"ticket-42".matches("^[a-z]+-[0-9]+$")', {}, true],
    ['matches("abc", "b")', {}, true],
  ])('the function call %s, in addition to standard CEL, has the expected value', (source, state, expected) => {
    expect(evaluate(source, state)).toEqual(expected);
  });
});

describe('an expression that fails or costs too much', () => {
  test.each<[string, Json, RegExp]>([
    ['state.l[5]', { l: [1] }, /state\.l\[5\].*index/],
    ['state.o.nope', { o: {} }, /state\.o\.nope.*nope/],
    ['state.constructor', {}, /constructor/],
    ['state.a + state.b', { a: 'x', b: 1 }, /overload/],
    ['state.n / 0', { n: 1 }, /division by zero/],
    ['state.n % 0', { n: 1 }, /modulo by zero/],
    ['1.0 / 0.0', {}, /division by zero/],
    ['b"abc"', {}, /bytes/],
    ['"abc".substring(2, 1)', {}, /out of range/],
    ['"abc".substring(-1)', {}, /out of range/],
    ['"abc".substring(state.n)', { n: 1.5 }, /whole number/],
    ['"a".matches("(")', {}, /missing/],
    ['parseJson("{")', {}, /JSON/],
  ])('the expression %s fails with its text in the message', (source, state, message) => {
    expect(() => evaluate(source, state)).toThrow(GraphError);
    expect(() => evaluate(source, state)).toThrow(message);
  });

  test.each([
    ['state.l.map(a, state.l.map(b, state.l.map(c, a + b + c)))', { l: Array.from({ length: 300 }, (_, n) => n) }],
    ['[1, 2, 3, 4, 5, 6, 7, 8, 9].map(x, state.s + state.s)', { s: 'x'.repeat(1_000_000) }],
    ['state.l.exists(a, state.l.exists(b, state.l.exists(c, a < 0)))', { l: Array.from({ length: 300 }, (_, n) => n) }],
    [
      'state.l.filter(x, state.a == state.b)',
      {
        l: Array.from({ length: 2_000 }, () => 0),
        a: Array.from({ length: 2_000 }, () => ({})),
        b: Array.from({ length: 2_000 }, () => ({})),
      },
    ],
    ['state.s.matches("(a|b|ab|ba)*c")', { s: 'ab'.repeat(1_000_000) }],
  ])('the expression %s is too expensive', (source, state) => {
    expect(() => evaluate(source, state)).toThrow(/too expensive/);
  });
});

describe('the check of an expression', () => {
  test.each<[string, 'syntax' | 'meaning', RegExp]>([
    ['state.', 'syntax', /IDENTIFIER/],
    [`${'('.repeat(300)}1${')'.repeat(300)}`, 'syntax', /maxDepth/],
    ['stat.x', 'meaning', /Did you mean "state"/],
    ['"a" + 1', 'meaning', /overload/],
    ['1 ? 2 : 3', 'meaning', /must be bool/],
    ['state.l.sort()', 'meaning', /sort/],
    ['"a".matches(1)', 'meaning', /matches\(int\)/],
  ])('the check of an expression refuses %s', (source, kind, message) => {
    const thrown = catchError(() => parseExpression(source, NAMES));
    expect(thrown).toBeInstanceOf(InvalidExpressionError);
    expect(thrown).toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  test('the check of an expression finds the channels that are read, without the variables of comprehensions', () => {
    const { references } = parseExpression(
      'state.a + state["b"] + state.l.map(state, state.x).size() + cel.bind(run, 1, run) + run.step',
      NAMES,
    );
    expect([...references.channels].sort()).toEqual(['a', 'b', 'l']);
    expect([...references.runFields]).toEqual(['step']);
  });

  test('the check of an expression finds a reference to everything if the whole state is read', () => {
    expect([...parseExpression('json(state)', NAMES).references.channels]).toEqual(['*']);
  });

  test('the check of an expression parses equal expressions once', () => {
    expect(parseExpression('state.same', NAMES)).toBe(parseExpression('state.same', NAMES));
  });
});

describe('an expression that fails', () => {
  test.each<[string, Json, string]>([
    ['state.n + 1', { n: null }, 'no such overload: dyn<null> + int; state.n is null'],
    ['state.n.x', { n: null, m: null }, 'No such key: x; state.n is null'],
    ['size(state.n) + size(state.m)', { n: null, m: null }, '; state.n is null; state.m is null'],
    ['state.n + 1', { n: 'a' }, 'no such overload: dyn<string> + int'],
    [
      'state.n > "1"',
      { n: 1 },
      "failed: a number and a text can't be compared: no such overload: dyn<double> > string",
    ],
    ['state.n.x.y', { n: { x: null } }, 'No such key: y; state.n.x is null'],
    ['state.l[0].x', { l: [null] }, 'No such key: x; state.l[0] is null'],
    ['item.x', {}, 'No such key: x; item is null'],
  ])('the error of an expression names the null channels that it reads: %s of %j', (source, state, ending) => {
    const error = catchError(() => evaluate(source, state));
    expect(error instanceof GraphError && error.message.endsWith(ending)).toBe(true);
  });
});

function catchError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
