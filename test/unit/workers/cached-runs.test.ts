import { describe, expect, test } from 'vitest';
import { cachedRuns } from '../../../src/workers/cached-runs.ts';

const MIB = 1_048_576;

describe('cachedRuns', () => {
  test.each([
    [4_096, 3_896],
    [1_024, 824],
    [205, 10],
    [64, 10],
  ])('in a heap of %d MiB there is room for %d runs', (mib, runs) => {
    expect(cachedRuns({}, mib * MIB)).toBe(runs);
    expect(cachedRuns({ HOLDFAST_CACHED_RUNS: '' }, mib * MIB)).toBe(runs);
  });

  test('the environment may say another number', () => {
    expect(cachedRuns({ HOLDFAST_CACHED_RUNS: '20000' }, 64 * MIB)).toBe(20_000);
  });

  test.each(['9', '-1', '10.5', 'many', '1e999'])('it may not say %s', (given) => {
    expect(() => cachedRuns({ HOLDFAST_CACHED_RUNS: given })).toThrow(
      `HOLDFAST_CACHED_RUNS must be a whole number, 10 or more; it is "${given}"`,
    );
  });
});
