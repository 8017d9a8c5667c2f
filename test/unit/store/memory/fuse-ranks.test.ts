import { describe, expect, test } from 'vitest';
import { fuseRanks } from '../../../../src/store/memory/with-meaning.ts';

describe('fusing rankings', () => {
  test.each<[string, readonly (readonly string[])[], readonly string[]]>([
    ['to nothing, of nothing', [[], []], []],
    ['to the only one', [['b', 'a'], []], ['b', 'a']],
    [
      'with what both have before what one has',
      [
        ['a', 'both'],
        ['b', 'both'],
      ],
      ['both', 'a', 'b'],
    ],
    [
      'with what stands well in both before what leads one alone',
      [
        ['a', 'b', 'c'],
        ['b', 'd'],
      ],
      ['b', 'a', 'd', 'c'],
    ],
    [
      'with equal ones by their characters',
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
