import { expect, test } from 'vitest';
import { isCanary } from '../../../../src/api/graphs/find-for-run.ts';

const alias = (share: number) => ({ name: 'g', alias: 'live', canary: { version: 2, share } });
const ids = Array.from({ length: 2_000 }, (_, index) => `run-${index}`);
const partOf = (share: number): number => ids.filter((id) => isCanary(alias(share), id)).length / ids.length;

test('a canary gets its share of runs, none at 0 and all at 1', () => {
  expect([partOf(0), partOf(1)]).toEqual([0, 1]);
  expect(partOf(0.2)).toBeCloseTo(0.2, 1);
});

test('the same run always gets the same version, and keeps a canary whose share grows', () => {
  const chosen = ids.filter((id) => isCanary(alias(0.2), id));
  expect(ids.filter((id) => isCanary(alias(0.2), id))).toEqual(chosen);
  expect(chosen.every((id) => isCanary(alias(0.4), id))).toBe(true);
});
