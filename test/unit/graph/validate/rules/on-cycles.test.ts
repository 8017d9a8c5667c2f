import { expect, test } from 'vitest';
import { onCycles } from '../../../../../src/graph/validate/rules/unbounded-loops.ts';

const cyclic = (targets: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  [...onCycles(new Map(Object.entries(targets)))].sort();

test('the graph function onCycles returns the vertices on cycles and those between two cycles', () => {
  expect(cyclic({ a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['f'], f: ['e', 'g'] })).toEqual([
    'a',
    'b',
    'c',
    'd',
    'e',
    'f',
  ]);
});

test('the graph function onCycles excludes vertices that only lead to a cycle or away from it', () => {
  expect(cyclic({ start: ['a'], a: ['a', 'end'], end: [], alone: [] })).toEqual(['a']);
  expect(cyclic({ a: ['b', 'b'], b: ['c'] })).toEqual([]);
});
