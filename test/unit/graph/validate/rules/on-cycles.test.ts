import { expect, test } from 'vitest';
import { onCycles } from '../../../../../src/graph/validate/rules/unbounded-loops.ts';

const cyclic = (targets: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  [...onCycles(new Map(Object.entries(targets)))].sort();

test('vertices on a cycle are left, and those between two', () => {
  expect(cyclic({ a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['f'], f: ['e', 'g'] })).toEqual([
    'a',
    'b',
    'c',
    'd',
    'e',
    'f',
  ]);
});

test('what leads to a cycle or away from it is on none', () => {
  expect(cyclic({ start: ['a'], a: ['a', 'end'], end: [], alone: [] })).toEqual(['a']);
  expect(cyclic({ a: ['b', 'b'], b: ['c'] })).toEqual([]);
});
