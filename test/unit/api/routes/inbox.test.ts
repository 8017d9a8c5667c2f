import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Approval } from '../../../../src/graph/run/approval.ts';
import type { NewRun } from '../../../../src/store/accept-run.ts';
import { aBatch, aNewRun, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { readAll } from '../../../support/readers/api-runs.ts';
import { at, textAt } from '../../../support/readers/json-at.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/* The inbox and the calls of runs, from rows that the test has written. */

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(async () => await api.stop());

const minute = (n: number): string => `2026-01-02T03:${String(n).padStart(2, '0')}:00.000Z`;
const said = (decision: 'approve' | 'reject', closed: number, args: Approval['args'] = null) => ({
  by: 'ada',
  decision,
  reason: null,
  at: minute(closed),
  args,
  values: null,
});

/** Writes a run with one approval. */
async function write(id: string, over: Partial<Approval>, run: Partial<NewRun> = {}): Promise<void> {
  const tenantId = run.tenantId ?? 'demo';
  await api.store.runs.create(aNewRun({ ...run, id, tenantId }));
  const approval = { ...anApproval(id, 'pending'), ...over };
  const events = [{ seq: 2, at: minute(30), step: 0, type: 'step.started' as const, nodes: ['n'] }];
  await writeTo(api.store, { id, tenantId }, aBatch([], { events, approvals: [approval] }));
}

const inbox = async (query: string, limit = 1): Promise<string[]> =>
  (await readAll(api.as('approver'), `/api/approvals?${query}`, limit)).map((one) => textAt(one, '/runId'));

describe('the inbox', () => {
  beforeAll(async () => {
    await write('asked-first', { status: 'approved', requestedAt: minute(1), decisions: [said('approve', 20)] });
    await write('pending', { requestedAt: minute(2) });
    await write('expired', { status: 'expired', requestedAt: minute(3), expiresAt: minute(10) });
    await write('by-timeout', { status: 'approved', requestedAt: minute(4), expiresAt: minute(9) });
    await write('canceled', { status: 'canceled', requestedAt: minute(5), expiresAt: minute(59) });
    await write('rejected', { status: 'rejected', requestedAt: minute(6), decisions: [said('reject', 11)] });
    await write('of-others', { status: 'approved', requestedAt: minute(7) }, { tenantId: 'other' });
  });

  test.each([
    ['status=approved', ['by-timeout', 'asked-first']],
    ['status=approved,rejected', ['rejected', 'by-timeout', 'asked-first']],
    ['order=closedAt', ['canceled', 'asked-first', 'rejected', 'expired', 'by-timeout']],
    ['order=closedAt&status=approved,rejected', ['asked-first', 'rejected', 'by-timeout']],
    ['order=closedAt&status=pending', []],
    ['order=requestedAt&status=pending,expired', ['expired', 'pending']],
    ['mine=true&status=pending,expired', ['pending']],
    ['mine=true&status=expired', []],
  ])('the approval inbox lists what %s selects, page by page, each once', async (query, expected) => {
    expect(await inbox(query)).toEqual(expected);
    expect(await inbox(query, 50)).toEqual(expected);
  });

  test.each([
    'status=decided',
    'status=approved,',
    'status=',
    'order=dueAt',
    'sort=closedAt',
    'status=approved;rejected',
  ])('the approval inbox refuses the query %s', async (query) => {
    expect(await api.as('approver').get(`/api/approvals?${query}`)).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
  });

  test('an inbox cursor of one sort order is not valid for another', async () => {
    const { body } = await api.as('approver').get('/api/approvals?order=closedAt&limit=1');
    const answer = await api.as('approver').get(`/api/approvals?limit=1&cursor=${textAt(body, '/nextCursor')}`);
    expect(answer.status).toBe(400);
  });

  test('an approval in the inbox names its graph, and when it was closed for the first time', async () => {
    const read = async (id: string) => (await api.as('approver').get(`/api/approvals/${id}.a1`)).body;
    expect(await read('asked-first')).toMatchObject({ graph: 'refund', closedAt: minute(20) });
    expect(await read('canceled')).toMatchObject({ closedAt: minute(30) });
    expect(at(await read('pending'), '/closedAt')).toBeUndefined();
    const late = { ...anApproval('canceled', 'canceled'), requestedAt: minute(5) };
    await writeTo(api.store, { id: 'canceled', tenantId: 'demo' }, aBatch([40], { approvals: [late] }));
    expect(await read('canceled')).toMatchObject({ closedAt: minute(30) });
  });
});

describe('the original arguments of an edited approval', () => {
  const changed = {
    args: { amount: 1_100 },
    askedArgs: { amount: 1_200 },
    decisions: [said('approve', 3, { amount: 1_100 })],
  };

  test('the original arguments of an edited approval are returned with the decided ones', async () => {
    await write('changed', changed);
    const { body } = await api.as('approver').get('/api/approvals/changed.a1');
    expect(body).toMatchObject({ args: { amount: 1_100 }, askedArgs: { amount: 1_200 } });
    expect((await api.as('otherTenantUser').get('/api/approvals/changed.a1')).status).toBe(404);
  });

  test('the original arguments of an edited approval are redacted like the decided ones', async () => {
    const redaction = {
      channels: ['money'],
      nodes: { ask: { fields: { args: { in: 'object' as const, parts: { amount: '[redacted]' } } } } },
      graphs: {},
    };
    await write('hidden', changed, { redaction });
    const { body } = await api.as('user').get('/api/approvals/hidden.a1');
    expect(JSON.stringify(body)).not.toMatch(/1100|1200/);
    expect(body).toMatchObject({ askedArgs: { amount: '[redacted]' } });
    expect((await api.as('admin').get('/api/approvals/hidden.a1')).body).toMatchObject({
      askedArgs: { amount: 1_200 },
    });
  });
});

describe('the calls of a run', () => {
  beforeAll(async () => {
    await api.store.runs.create(aNewRun({ id: 'calls', tenantId: 'demo' }));
    const events = [1, 2, 3, 4].map((seq) => ({
      seq,
      at: minute(seq),
      step: 0,
      node: 'n',
      visit: seq,
      type: 'tool.requested' as const,
      tool: 't',
      args: {},
      idempotencyKey: `calls:n:${seq}:0:0`,
    }));
    await writeTo(api.store, { id: 'calls', tenantId: 'demo' }, { ...aBatch([]), events });
  });

  test.each([
    ['', [1, 2, 3, 4]],
    ['order=oldest', [1, 2, 3, 4]],
    ['order=newest', [4, 3, 2, 1]],
    [`order=newest&until=${minute(3)}`, [3, 2, 1]],
    [`until=${minute(2)}`, [1, 2]],
  ])('the calls of a run that "%s" selects are listed page by page, each once', async (query, expected) => {
    for (const limit of [1, 3, 50]) {
      const found = await readAll(api.as('user'), `/api/runs/calls/calls?${query}`, limit);
      expect(found.map((call) => at(call, '/visit'))).toEqual(expected);
    }
  });

  test.each(['order=latest', 'until=yesterday', 'since=now'])('the list of a run’s calls refuses %s', async (query) => {
    expect((await api.as('user').get(`/api/runs/calls/calls?${query}`)).status).toBe(422);
  });
});
