import { expect, test } from 'vitest';
import { strongTagsIn } from '../../../../src/api/http/etag.ts';

const header = (count: number): string => Array.from({ length: count }, (_, at) => `"t${at}"`).join(', ');

test('an entity tag that a header repeats counts once', () => {
  expect(strongTagsIn('"a", W/"b", "a","c"')).toEqual(['a', 'c']);
});

test('an If-Match header may contain at most 100 entity tags', () => {
  expect(strongTagsIn(header(100))).toHaveLength(100);
  expect(strongTagsIn(Array.from({ length: 101 }, () => '"a"').join(','))).toEqual(['a']);
  expect(() => strongTagsIn(header(101))).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
});
