import { expect, test } from 'vitest';
import { toFormFields } from '../../../../src/activities/tools/http-fields.ts';
import type { JsonObject } from '../../../../src/graph/values/json.ts';

const LIST_STYLES = ['repeat', 'brackets', 'commas'] as const;

const written = (args: JsonObject): readonly string[] =>
  LIST_STYLES.map((style) =>
    toFormFields(args, style)
      .map((field) => field.join('='))
      .join('&'),
  );

/** Arguments, and how they are written with repeated names, brackets and commas. */
test.each<[JsonObject, repeat: string, brackets: string, commas: string]>([
  [{ ids: ['a', 'b'] }, 'ids=a&ids=b', 'ids[]=a&ids[]=b', 'ids=a,b'],
  [{ ids: [] }, '', '', ''],
  [{ ids: [1, null, true] }, 'ids=1&ids=true', 'ids[]=1&ids[]=true', 'ids=1,true'],
  [{ after: null, q: 'x' }, 'q=x', 'q=x', 'q=x'],
  [{ q: '', zero: 0, no: false }, 'q=&zero=0&no=false', 'q=&zero=0&no=false', 'q=&zero=0&no=false'],
  [
    { filter: { status: 'open', tags: ['a', 'b'] } },
    'filter[status]=open&filter[tags]=a&filter[tags]=b',
    'filter[status]=open&filter[tags][]=a&filter[tags][]=b',
    'filter[status]=open&filter[tags]=a,b',
  ],
  [
    { items: [{ price: 1 }, { price: 2 }] },
    'items[0][price]=1&items[1][price]=2',
    'items[0][price]=1&items[1][price]=2',
    'items[0][price]=1&items[1][price]=2',
  ],
  [{ pairs: [['a', 'b'], []] }, 'pairs[0]=a&pairs[0]=b', 'pairs[0][]=a&pairs[0][]=b', 'pairs[0]=a,b'],
])('%j is written in each style', (args, ...expected) => {
  expect(written(args)).toEqual(expected);
});

test('names that would repeat beyond a million characters are refused', () => {
  const args = { ['k'.repeat(100_000)]: Array.from({ length: 60_000 }, () => ({ a: 1 })) };
  expect(() => toFormFields(args, 'repeat')).toThrow(/more than 1000000 characters/);
});
