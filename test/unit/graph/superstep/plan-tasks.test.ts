import { expect, test } from 'vitest';
import { openByGroup } from '../../../../src/graph/superstep/open-superstep.ts';

test('without open tasks, no concurrency group has open tasks', () => {
  expect(openByGroup([]).size).toBe(0);
});
