import { describe, expect, test } from 'vitest';
import { InvalidExpressionError, parseExpression } from '../../../../src/graph/expression/expression.ts';
import { GraphError } from '../../../../src/graph/values/errors.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const evaluate = (source: string, state: Json = {}): Json => parseExpression(source, ['state']).evaluate({ state });

describe('a literal of a map', () => {
  test.each([
    [`{"a": 1, "__proto__": 2}`, '{"a":1,"__proto__":2}'],
    [`{"constructor": 1, "prototype": {"__proto__": []}}`, '{"constructor":1,"prototype":{"__proto__":[]}}'],
    [`[{"__proto__": {"x": 1}}]`, '[{"__proto__":{"x":1}}]'],
    [`{"constructor": {"a": 7}}.constructor.a`, '7'],
    [`{"__proto__": 5}["__proto__"]`, '5'],
    [`size({"constructor": 1, "a": 2})`, '2'],
    [`"constructor" in {"constructor": 1}`, 'true'],
    [`{"constructor": 1}.map(key, key)`, '["constructor"]'],
    [`{}`, '{}'],
  ])('a CEL map literal keeps all its keys: %s', (source, expected) => {
    expect(JSON.stringify(evaluate(source))).toBe(expected);
  });

  test.each([`{"a": 1, "a": 2}`, `[{"b": {"__proto__": 1, "__proto__": 2}}]`, `{1: "a", "1": "b"}`])(
    'a CEL map literal with a key that comes twice is refused when the graph is checked: %s',
    (source) => {
      expect(() => parseExpression(source, [])).toThrow(InvalidExpressionError);
      expect(() => parseExpression(source, [])).toThrow(/The key ".*" comes more than once in a map/);
    },
  );

  test('a CEL map literal fails when two of its keys are equal at run time', () => {
    const source = `{state.key: 1, "a": 2}`;
    expect(evaluate(source, { key: 'b' })).toEqual({ b: 1, a: 2 });
    expect(() => evaluate(source, { key: 'a' })).toThrow(GraphError);
  });
});

describe('an integer', () => {
  test.each(['9007199254740993', '-9007199254740993', '[1, {"a": 1234567890123456789}]', '9007199254740993u'])(
    'an integer literal that a JSON number does not keep is refused when the graph is checked: %s',
    (source) => {
      expect(() => parseExpression(source, [])).toThrow(
        /has more digits than a number of JSON keeps: write it as a text/,
      );
    },
  );

  test.each([
    ['9007199254740992', 9_007_199_254_740_992],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['1000000000000000000', 1e18],
    ['0.1000000000000000000001', 0.1],
  ])('an integer literal that a JSON number keeps may be written in an expression: %s', (source, expected) => {
    expect(evaluate(source)).toBe(expected);
  });

  test.each([
    '9007199254740992 + 1',
    '[4503599627370497 * 3]',
    'int("1234567890123456789")',
    `parseJson('{"a":1234567890123456789}')`,
  ])('a computed integer that a JSON number does not keep fails the expression: %s', (source) => {
    expect(() => evaluate(source)).toThrow(GraphError);
  });
});

describe('a text that is split at nothing', () => {
  test.each([
    [`"a😀".split("")`, ['a', '😀']],
    [`"a😀b".split("", 2)`, ['a', '😀b']],
    [`"".split("")`, []],
    [`"abc".split("")`, ['a', 'b', 'c']],
  ])('splitting a text at the empty string gives whole characters: %s', (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });
});
