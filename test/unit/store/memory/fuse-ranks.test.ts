import { describe, expect, test } from 'vitest';
import { fuseRanks } from '../../../../src/store/memory/with-meaning.ts';

describe('fusing rankings', () => {
  test.each<[string, readonly (readonly string[])[], readonly string[]]>([
    ['to an empty ranking, if both are empty', [[], []], []],
    ['to the only ranking', [['b', 'a'], []], ['b', 'a']],
    [
      'with entries of both before entries of one',
      [
        ['a', 'both'],
        ['b', 'both'],
      ],
      ['both', 'a', 'b'],
    ],
    [
      'with entries high in both before the first of one',
      [
        ['a', 'b', 'c'],
        ['b', 'd'],
      ],
      ['b', 'a', 'd', 'c'],
    ],
    [
      'with entries of equal rank in order of their keys',
      [
        ['b', 'd'],
        ['a', 'c'],
      ],
      ['a', 'b', 'c', 'd'],
    ],
  ])('two search rankings are fused %s', (_what, lists, fused) => {
    expect(fuseRanks(lists)).toEqual(fused);
  });

  test('the fused search ranking does not depend on the order of the lists', () => {
    const [words, meaning] = [
      ['x', 'y', 'z'],
      ['z', 'y', 'w'],
    ];
    expect(fuseRanks([words, meaning])).toEqual(fuseRanks([meaning, words]));
  });
});
