import { describe, expect, test } from 'vitest';
import { auditPath, readAuditFilter, fromLocalTime, toLocalTime } from '../../../../console/src/pages/admin/search.ts';
import {
  KINDS,
  readSwitch,
  toSwitchForm,
  formatLimit,
  missingOf,
  requiredFields,
  readTerms,
  toTermsForm,
} from '../../../../console/src/pages/admin/drafts.ts';
import { CATALOG_KINDS } from '../../../../src/graph/definition/catalog.ts';

describe('the form with the settings of a tenant', () => {
  const NOTHING_SAID = {
    quotas: {
      runsPerMinute: { limit: 600, source: 'all' as const },
      costUsdPerDay: { limit: null, source: 'none' as const },
    },
    suspended: null,
  };

  test('the console’s form for tenant settings starts with the current settings', () => {
    const quotas = {
      runsPerMinute: { limit: 60, source: 'admin' as const },
      costUsdPerDay: { limit: null, source: 'admin' as const },
    };
    const suspended = { reason: 'unpaid', since: '2026-11-24T09:21:00.000Z' };
    const form = toTermsForm({ quotas, suspended });
    expect(form).toEqual({
      runs: 'limit',
      runsPerMinute: 60,
      cost: 'lifted',
      costUsdPerDay: undefined,
      suspended: true,
      reason: 'unpaid',
    });
    expect(readTerms(form)).toEqual({ runsPerMinute: 60, costUsdPerDay: null, suspended: { reason: 'unpaid' } });
  });

  test('the console’s form for tenant settings does not contain a limit of the configuration', () => {
    expect(readTerms(toTermsForm(NOTHING_SAID))).toEqual({ suspended: null });
  });

  test('the console’s form for tenant settings requires a number for each limit that is set, and a reason for a suspension', () => {
    const form = { ...toTermsForm(NOTHING_SAID), runs: 'limit', runsPerMinute: 0, cost: 'limit', suspended: true };
    const needed = requiredFields(form);
    expect(needed).toEqual(['runsPerMinute', 'costUsdPerDay', 'reason']);
    expect(missingOf(form, needed)).toEqual({ costUsdPerDay: 'This is needed', reason: 'This is needed' });
    expect(requiredFields(toTermsForm(NOTHING_SAID))).toEqual([]);
  });

  test('the console’s form for tenant settings formats each limit with its source', () => {
    expect(formatLimit({ limit: 0, source: 'admin' })).toBe('0, says an administrator');
    expect(formatLimit({ limit: null, source: 'none' })).toBe('no limit, as nobody says anything');
  });
});

describe('a kill switch', () => {
  const OFF = {
    kind: 'model',
    name: 'big',
    state: 'off',
    reason: 'too slow',
    tenants: ['acme', 'demo'],
    changedAt: '2026-11-24T09:21:00.000Z',
    changedBy: 'root',
  } as const;

  test('the console changes a kill switch for the same tenants, with a new reason', () => {
    const form = toSwitchForm(OFF, new URLSearchParams());
    expect(readSwitch({ ...form, reason: ' fast again ' })).toEqual({
      kind: 'model',
      name: 'big',
      state: 'on',
      reason: 'fast again',
      tenants: ['acme', 'demo'],
    });
    expect(toSwitchForm({ ...OFF, state: 'on' }, new URLSearchParams())).toMatchObject({ state: 'off' });
  });

  test('a kill switch for the subject in the console’s URL is for all tenants', () => {
    const form = toSwitchForm(null, new URLSearchParams('kind=function&name=pay'));
    expect(readSwitch({ ...form, reason: 'r' })).toEqual({ kind: 'function', name: 'pay', state: 'off', reason: 'r' });
    expect(toSwitchForm(null, new URLSearchParams('kind=tool&name=pay&state=on'))).toMatchObject({ state: 'on' });
    expect(readSwitch({ ...form, tenants: ' ,' })).not.toHaveProperty('tenants');
  });
});

test('the console’s form of a kill switch offers all kinds of subjects', () => {
  expect(KINDS.map((kind) => kind.const).toSorted()).toEqual([...CATALOG_KINDS].toSorted());
  expect(readSwitch({ kind: 'node-type', name: 'robot', reason: 'r' })).toMatchObject({ kind: 'node-type' });
  expect(readSwitch({ kind: 'toString', name: 'robot', reason: 'r' })).toMatchObject({ kind: 'tool' });
});

describe('the filter of the audit', () => {
  test('the filter of the console’s audit page is read from the URL', () => {
    const search = new URLSearchParams('tenant=acme&by= ada &action=run&run=R&from=2026-11-24T00:00:00.000Z&to=soon');
    const filter = readAuditFilter(search);
    expect(filter).toEqual({
      tenantId: 'acme',
      by: 'ada',
      action: 'run',
      runId: 'R',
      from: '2026-11-24T00:00:00.000Z',
    });
    expect(auditPath(filter)).toBe(
      '/admin/audit?tenantId=acme&by=ada&action=run&runId=R&from=2026-11-24T00%3A00%3A00.000Z',
    );
    expect(auditPath(readAuditFilter(new URLSearchParams()))).toBe('/admin/audit');
  });

  test('the filter of the console’s audit page contains times in the time zone of the person', () => {
    const time = '2026-11-24T09:21:00.000Z';
    expect(fromLocalTime(toLocalTime(time))).toBe(time);
    expect([toLocalTime(''), toLocalTime('soon'), fromLocalTime('')]).toEqual(['', '', '']);
  });
});
