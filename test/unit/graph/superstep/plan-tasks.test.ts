import { expect, test } from 'vitest';
import { openByGroup } from '../../../../src/graph/superstep/open-superstep.ts';

test('without open tasks, every concurrency group is empty', () => {
  expect(openByGroup([]).size).toBe(0);
});
