import { describe, expect, test } from 'vitest';
import { parseExpression } from '../../../../src/graph/expression/expression.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const evaluate = (source: string, state: Json): Json => parseExpression(source, ['state']).evaluate({ state });

describe('a member named constructor is plain data', () => {
  const o = { constructor: 'x', n: 1, deep: [{ constructor: null }] };

  test.each<[string, Json]>([
    ['state.o.constructor', 'x'],
    ['[state.o.constructor, state.o]', ['x', o]],
    ['state.o', o],
    ['state.o == state.o && state.o.constructor == "x"', true],
    ['state.o.deep.map(d, d.constructor)', [null]],
    ['state.o.n + 1', 2],
    ['has(state.o.constructor)', true],
  ])('an expression with a member named constructor, %s, has the expected value', (source, expected) => {
    expect(evaluate(source, { o, list: [1, 'a', null] })).toEqual(expected);
  });

  test.each([
    ['state.o.constructor + 1', /overload/],
    ['state.o.nope', /nope/],
  ])('the expression %s fails equally with and without a member named constructor', (source, message) => {
    expect(() => evaluate(source, { o })).toThrow(message);
  });
});
