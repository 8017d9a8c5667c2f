import { describe, expect, test } from 'vitest';
import { diffRows } from '../../../console/src/parts/diff-rows.ts';

describe('the differences of two values', () => {
  test('are empty for equal values', () => {
    expect(diffRows({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
  });

  test('have a pointer and both values', () => {
    expect(
      diffRows({ amount: 420, 'a/b': { '~': 1 }, gone: null }, { amount: 300, 'a/b': { '~': 2 }, more: [] }),
    ).toEqual([
      { path: '/amount', kind: 'changed', before: 420, after: 300 },
      { path: '/a~1b/~0', kind: 'changed', before: 1, after: 2 },
      { path: '/gone', kind: 'removed', before: null },
      { path: '/more', kind: 'added', after: [] },
    ]);
  });

  test('have indexes in arrays', () => {
    expect(diffRows({ list: ['a', 'b'] }, { list: ['a', 'b', 'c'] })).toEqual([
      { path: '/list/2', kind: 'added', after: 'c' },
    ]);
    expect(diffRows(['a', 'b'], ['b'])).toEqual([{ path: '/0', kind: 'removed', before: 'a' }]);
  });

  test('are not truncated in long texts', () => {
    const [before, after] = ['x'.repeat(500), `${'x'.repeat(500)}y`];
    expect(diffRows(before, after)).toEqual([{ path: '', kind: 'changed', before, after }]);
  });
});
