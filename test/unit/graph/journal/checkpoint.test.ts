import { expect, test } from 'vitest';
import { foldCheckpoints } from '../../../../src/graph/journal/resume-point.ts';

test('appending to a channel without a value makes a list', () => {
  expect(foldCheckpoints([{ changes: { log: { append: [1] } } }, { changes: { log: { append: [2] } } }])).toEqual({
    log: [1, 2],
  });
});
