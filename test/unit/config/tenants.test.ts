import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { quotaOf } from '../../../src/config/tenants.ts';

test('the entry of a tenant wins over that of all, member by member', () => {
  const { tenants } = parseConfig('here', {
    tenants: { '*': { runsPerMinute: 600, costUsdPerDay: 100 }, acme: { runsPerMinute: 6 }, big: {} },
  });
  expect(quotaOf(tenants, 'acme')).toEqual({ runsPerMinute: 6, costUsdPerDay: 100 });
  expect(quotaOf(tenants, 'big')).toEqual({ runsPerMinute: 600, costUsdPerDay: 100 });
  expect(quotaOf(tenants, 'constructor')).toEqual({ runsPerMinute: 600, costUsdPerDay: 100 });
  expect(quotaOf({}, 'acme')).toEqual({});
});

test.each([
  [{ 'a/b': {} }, /\/tenants\/a~1b: must be the name of a tenant, or "\*" for all/],
  [{ acme: { runsPerHour: 1 } }, /\/tenants\/acme: .*"runsPerHour"/],
  [{ acme: { runsPerMinute: 1.5 } }, /\/tenants\/acme\/runsPerMinute/],
  [{ acme: { costUsdPerDay: -1 } }, /\/tenants\/acme\/costUsdPerDay/],
])('%j is refused', (tenants, problem) => {
  expect(() => parseConfig('here', { tenants })).toThrow(problem);
});
