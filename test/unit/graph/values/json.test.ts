import { describe, expect, test } from 'vitest';
import { canonicalJson, deepEqual } from '../../../../src/graph/values/compare-json.ts';
import { toJson, toJsonObject } from '../../../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';

/** An object as untyped code may leave it. */
const gap: JsonObject = Object.assign(Object.create(null), { a: undefined });
const hole: Json[] = [];
hole.length = 1;

describe('toJson', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);

  test.each([
    [Number.NaN, /^NaN at the top/],
    [{ a: [1, Number.POSITIVE_INFINITY] }, /^Infinity at \/a\/1/],
    [{ 'a/b': () => 1 }, /^function at \/a~1b/],
    [{ m: new Map() }, /^Map at \/m/],
    [[undefined], /^undefined at \/0/],
    [cycle, /over 200 levels \(or a cycle\)/],
  ])('toJson refuses values that JSON can not represent, with their path', (value, message) => {
    expect(() => toJson(value)).toThrow(message);
  });

  test("toJson rethrows the errors of a value's toJSON", () => {
    const value = {
      get a() {
        return { toJSON: () => AbortSignal.abort(new RangeError('mine')).throwIfAborted() };
      },
    };
    expect(() => toJson(value)).toThrow(new RangeError('mine'));
  });

  test('toJson keeps a key named __proto__ as data', () => {
    const copied = toJson(JSON.parse('{"__proto__": {"x": 1}}'));
    expect(JSON.stringify(copied)).toBe('{"__proto__":{"x":1}}');
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype);
  });

  test('toJsonObject requires an object, and refuses a list', () => {
    expect(toJsonObject({ a: undefined, b: 1n })).toEqual({ b: 1 });
    expect(() => toJsonObject([1])).toThrow(/a list, not an object, at the top/);
  });
});

describe('deepEqual', () => {
  test.each<[Json, Json, boolean]>([
    [1, 1, true],
    [1, '1', false],
    [null, {}, false],
    [{}, null, false],
    [[1, [2]], [1, [2]], true],
    [[1, 2], [1], false],
    [[1, 2], [1, 3], false],
    [[], {}, false],
    [{}, [], false],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1 }, { a: 2 }, false],
    [{ toString: 1 }, { a: 1 }, false],
    [[null], hole, true],
    [{ a: null }, gap, true],
    [gap, { a: null }, true],
  ])('deepEqual compares %j with %j: %j', (...[a, b, expected]) => {
    expect(deepEqual(a, b)).toBe(expected);
  });
});

test('canonicalJson sorts the keys of objects', () => {
  expect(canonicalJson({ b: [1, { d: 1, c: 'x' }], a: gap })).toBe('{"a":{"a":null},"b":[1,{"c":"x","d":1}]}');
});
