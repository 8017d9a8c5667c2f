import { expect, test } from 'vitest';
import { DEFAULTS } from '../../../../src/graph/definition/catalog.ts';
import { CEILINGS } from '../../../../src/graph/definition/limits.ts';
import { lowerDefaults } from '../../../../src/graph/definition/pin-catalog.ts';

test('default limits below the ceilings stay unchanged', () => {
  expect(lowerDefaults(DEFAULTS, CEILINGS)).toEqual(DEFAULTS);
});

test('default limits above the ceilings are lowered to them', () => {
  const ceilings = { ...CEILINGS, maxSteps: 9, attempts: 2, timeout: '30s', openCallsPerRun: 7 };
  expect(lowerDefaults(DEFAULTS, ceilings)).toEqual({
    ...DEFAULTS,
    maxSteps: 9,
    maxConcurrency: 7,
    timeout: '30s',
    retry: { ...DEFAULTS.retry, maxAttempts: 2 },
  });
});
