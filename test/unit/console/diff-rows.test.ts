import { describe, expect, test } from 'vitest';
import { diffRows } from '../../../console/src/parts/diff-rows.ts';

describe('the differences of two values', () => {
  test('the console shows no differences of equal values', () => {
    expect(diffRows({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
  });

  test('the console shows the differences of two values with a pointer and both values', () => {
    expect(
      diffRows({ amount: 420, 'a/b': { '~': 1 }, gone: null }, { amount: 300, 'a/b': { '~': 2 }, more: [] }),
    ).toEqual([
      { path: '/amount', kind: 'changed', before: 420, after: 300 },
      { path: '/a~1b/~0', kind: 'changed', before: 1, after: 2 },
      { path: '/gone', kind: 'removed', before: null },
      { path: '/more', kind: 'added', after: [] },
    ]);
  });

  test('the console shows the differences of two arrays with indexes', () => {
    expect(diffRows({ list: ['a', 'b'] }, { list: ['a', 'b', 'c'] })).toEqual([
      { path: '/list/2', kind: 'added', after: 'c' },
    ]);
    expect(diffRows(['a', 'b'], ['b'])).toEqual([{ path: '/0', kind: 'removed', before: 'a' }]);
  });

  test('the console does not truncate differences in long texts', () => {
    const [before, after] = ['x'.repeat(500), `${'x'.repeat(500)}y`];
    expect(diffRows(before, after)).toEqual([{ path: '', kind: 'changed', before, after }]);
  });
});
