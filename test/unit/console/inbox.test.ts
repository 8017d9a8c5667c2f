import { HoldfastError } from 'holdfast/client';
import { describe, expect, test } from 'vitest';
import { isDefinite } from '../../../console/src/api/errors.ts';
import { isOutdated, issuesOf, isAmong, toReassignment } from '../../../console/src/pages/inbox/decision.ts';
import { readInboxSearch, toApproval, toFilter } from '../../../console/src/pages/inbox/inbox-views.ts';
import { staleKeys } from '../../../console/src/api/query-keys.ts';

describe('the address of the inbox', () => {
  test("the console’s inbox shows the person's own approvals by default", () => {
    const shown = readInboxSearch(new URLSearchParams('view=nothing&due=never'));
    expect(shown).toEqual({ view: 'mine', graph: '', tool: '', due: '' });
    expect(toFilter(shown, 0)).toEqual({ status: 'pending', mine: true, limit: 50 });
  });

  test('the URL of the console’s inbox contains the filters', () => {
    const shown = readInboxSearch(new URLSearchParams('view=pending&graph=refund&tool=pay&due=day'));
    expect(toFilter(shown, 0)).toEqual({
      status: 'pending',
      limit: 50,
      graph: 'refund',
      tool: 'pay',
      dueBefore: '1970-01-02T00:00:00.000Z',
    });
    expect(toApproval('a/1', 'view=pending')).toBe('/inbox/a%2F1?view=pending');
  });

  test('the URL of the console’s inbox does not take a member of Object.prototype for a view', () => {
    expect(readInboxSearch(new URLSearchParams('view=constructor&due=toString'))).toMatchObject({
      view: 'mine',
      due: '',
    });
  });
});

describe('an approval among those of a person', () => {
  /** A list with one item a page; `null` for an endless list. */
  const listOf = (count: number | null) => ({
    page: async (cursor = '0') => {
      const next = Number(cursor) + 1;
      return { items: [{ id: `a${cursor}` }], nextCursor: next === count ? null : String(next) };
    },
  });

  test('the console finds an approval of a person after the first page of the list', async () => {
    expect(await isAmong(listOf(3), 'a2')).toBe(true);
    expect(await isAmong(listOf(3), 'a3')).toBe(false);
  });

  test('an approval is unknown to the console if the list of approvals is too long', async () => {
    expect(await isAmong(listOf(null), 'x')).toBe(null);
  });
});

test('the console’s form for a reassignment accepts names that are separated by commas', () => {
  expect(toReassignment({ roles: ' lead, ,approver ', users: '' })).toEqual({ roles: ['lead', 'approver'] });
  expect(toReassignment({ roles: '', users: ' , ' })).toEqual({});
});

describe('a refused decision', () => {
  const refused = (code: HoldfastError['code'], status?: number, mayTakeEffect = false) =>
    new HoldfastError({ code, detail: 'no', status, mayTakeEffect });

  test.each([
    [refused('INVALID_ARGS', 422), true],
    [refused('APPROVAL_CHANGED', 412), true],
    [refused('REQUEST_IN_PROGRESS', 409, true), false],
    [refused('UNREACHABLE', undefined, true), false],
    [new Error('else'), false],
  ])(
    'the console treats %s of a decision as final, so that the next attempt has a new idempotency key: %s',
    (error, expected) => {
      expect(isDefinite(error)).toBe(expected);
    },
  );

  test('a refused decision in the console indicates whether the displayed approval is outdated', () => {
    expect(isOutdated(refused('ALREADY_DECIDED', 409))).toBe(true);
    expect(isOutdated(refused('INVALID_ARGS', 422))).toBe(false);
  });

  test('a refused decision in the console lists its problems by field', () => {
    const issues = [{ path: '/args/amount', message: 'too much' }];
    const error = new HoldfastError({ code: 'INVALID_ARGS', detail: 'no', status: 422, issues });
    expect(issuesOf(error, 'args')).toEqual({ amount: 'too much' });
    expect(issuesOf(error, 'values')).toEqual({});
  });
});

describe('an event of a run', () => {
  test('an event of a run invalidates the console’s queries of its run and of the lists that contain it', () => {
    expect(staleKeys({ type: 'tool.called', runId: 'r' })).toEqual([['run', 'r']]);
    expect(staleKeys({ type: 'approval.requested', runId: 'r' })).toEqual([['run', 'r'], ['runs'], ['approvals']]);
    expect(staleKeys({ type: 'run.failed', runId: 'r' })).toContainEqual(['interventions']);
  });
});
