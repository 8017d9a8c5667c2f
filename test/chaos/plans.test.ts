import { expect, test } from 'vitest';
import { createRandom } from '../support/builders/random.ts';
import { drawPlanGroups } from './plans.ts';

const plansOf = (seed: number, part: number) =>
  drawPlanGroups(100, createRandom(seed), { graph: 'waits', part }).flat();

test.each([0.25, 0.5, 1])('a share of %d of the chaos runs executes the given graph, and no run is lost', (part) => {
  const plans = plansOf(7, part);
  expect(plans).toHaveLength(100);
  expect(plans.filter(({ graph }) => graph === 'waits').length).toBeGreaterThanOrEqual(100 * part - 3);
});

test('chaos runs of other graphs than the given one include all kinds of plans', () => {
  expect(new Set(plansOf(7, 0.5).map(({ graph }) => graph)).size).toBe(6);
});
