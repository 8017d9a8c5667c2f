import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { toCatalog } from '../../../src/config/to-catalog.ts';
import { CEILINGS } from '../../../src/graph/definition/limits.ts';

test('an installation without configured ceilings has the default ceilings', () => {
  const config = parseConfig('here', {});
  expect(config.ceilings).toEqual({ ...CEILINGS, openCallsPerTenant: 200 });
  expect(toCatalog(config)).toMatchObject({ ceilings: CEILINGS, defaults: { maxSteps: 25, maxConcurrency: 100 } });
});

test('a run pins the ceilings that concern its graph', () => {
  const { openCallsPerTenant: _ofWorkers, ...ofGraphs } = parseConfig('here', { ceilings: { attempts: 3 } }).ceilings;
  expect(toCatalog(parseConfig('here', { ceilings: { attempts: 3 } })).ceilings).toEqual(ofGraphs);
});

test('default limits above a ceiling are lowered, also configured ones', () => {
  const ceilings = { maxSteps: 10, attempts: 2, timeout: '5s', openCallsPerRun: 4 };
  const defaults = { maxSteps: 30, timeout: '10s' };
  expect(toCatalog(parseConfig('here', { ceilings, defaults })).defaults).toMatchObject({
    maxSteps: 10,
    maxConcurrency: 4,
    timeout: '5s',
    retry: { maxAttempts: 2 },
  });
});

test.each([
  [{ maxSteps: 0 }, /\/ceilings\/maxSteps/],
  [{ attempts: 1.5 }, /\/ceilings\/attempts/],
  [{ timeout: '0s' }, /\/ceilings\/timeout: "0s" leaves no time/],
  [{ superstepTasks: 10_001 }, /\/ceilings\/superstepTasks/],
  [{ eventsPerRun: 0 }, /\/ceilings\/eventsPerRun/],
  [{ openCallsPerRun: 1_001 }, /\/ceilings\/openCallsPerRun/],
  [{ openCallsPerTenant: 0 }, /\/ceilings\/openCallsPerTenant/],
  [{ maxStep: 5 }, /"maxStep"/],
])('the configured ceilings %j are refused', (ceilings, problem) => {
  expect(() => parseConfig('here', { ceilings })).toThrow(problem);
});
