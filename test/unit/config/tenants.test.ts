import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { quotaOf } from '../../../src/config/tenants.ts';

test('each limit in a tenant’s own configuration entry takes precedence over the entry for all tenants', () => {
  const { tenants } = parseConfig('here', {
    tenants: { '*': { runsPerMinute: 600, costUsdPerDay: 100 }, acme: { runsPerMinute: 6 }, big: {} },
  });
  const [many, dear] = [
    { limit: 600, source: 'all' },
    { limit: 100, source: 'all' },
  ];
  expect(quotaOf(tenants, 'acme')).toEqual({ runsPerMinute: { limit: 6, source: 'tenant' }, costUsdPerDay: dear });
  expect(quotaOf(tenants, 'big')).toEqual({ runsPerMinute: many, costUsdPerDay: dear });
  expect(quotaOf(tenants, 'constructor')).toEqual({ runsPerMinute: many, costUsdPerDay: dear });
  const none = { limit: null, source: 'none' };
  expect(quotaOf({}, 'acme')).toEqual({ runsPerMinute: none, costUsdPerDay: none });
});

test.each([
  [{ 'a/b': {} }, /\/tenants\/a~1b: must be the name of a tenant, or "\*" for all/],
  [{ acme: { runsPerHour: 1 } }, /\/tenants\/acme: .*"runsPerHour"/],
  [{ acme: { runsPerMinute: 1.5 } }, /\/tenants\/acme\/runsPerMinute/],
  [{ acme: { costUsdPerDay: -1 } }, /\/tenants\/acme\/costUsdPerDay/],
])('the tenant configuration %j is refused', (tenants, problem) => {
  expect(() => parseConfig('here', { tenants })).toThrow(problem);
});
