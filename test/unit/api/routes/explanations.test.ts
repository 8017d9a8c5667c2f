import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { AT, aBatch, aNewRun, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { at } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await api.stop();
});

const explain = async (id: string, caller: 'user' | 'approver' | 'admin' | 'otherTenantUser' = 'user') =>
  await api.as(caller).get(`/api/runs/${id}/explain`);

/** A run of the tenant that waits for an approval whose title is filled from a redacted channel. */
async function addAsking(id: string): Promise<void> {
  const nodes = { ask: { fields: { title: 'Pay [redacted]?' } } };
  await api.store.runs.create(
    aNewRun({
      id,
      tenantId: 'demo',
      limits: { maxSteps: 25 },
      redaction: { ...NOTHING_REDACTED, channels: ['s'], nodes },
    }),
  );
  const approval = {
    ...anApproval(id, 'pending'),
    title: 'Pay 100?',
    policy: { roles: ['approver'] },
    expiresAt: '2099-01-01T00:00:00.000Z',
  };
  const waiting = { kind: 'approval', node: 'ask', id: approval.id, since: AT, deadline: approval.expiresAt } as const;
  const view = aView({ status: 'waiting', waitingFor: [waiting], next: ['ask'] });
  await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([1], { view, approvals: [approval] }));
}

describe('a run that waits for an approval', () => {
  beforeAll(async () => await addAsking('A'));

  test('is explained without what is hidden from the reader', async () => {
    const summary = 'Node ask waits until 2099-01-01T00:00:00.000Z for approver to decide: Pay [redacted]?';
    expect(await explain('A')).toMatchObject({
      status: 200,
      body: { runId: 'A', status: 'waiting', since: AT, summary },
    });
    expect(at((await explain('A', 'admin')).body, '/summary')).toMatch(/Pay 100\?$/);
  });

  test('tells each reader what that one may do', async () => {
    const allowed = { user: [false, false, true, true, true], approver: [true, true, false, false, false] } as const;
    for (const caller of ['user', 'approver'] as const)
      expect((await explain('A', caller)).body).toMatchObject({
        budget: [{ limit: 'maxSteps', used: 1, left: 24 }],
        actions: allowed[caller].map((is) => ({ allowed: is })),
      });
  });

  test('is not there for another tenant', async () => {
    expect(await explain('A', 'otherTenantUser')).toMatchObject({ status: 404, body: { code: 'UNKNOWN_RUN' } });
    expect(await api.as('user').get('/api/runs/A/explain?why=1')).toMatchObject({ status: 422 });
  });
});

test('a paused run names who has paused it last', async () => {
  await api.store.runs.create(aNewRun({ id: 'P', tenantId: 'demo' }));
  const paused = (seq: number, by: string) =>
    ({ seq, at: AT, step: 0, type: 'run.paused', reason: 'the shop is closed', nodes: [], by }) as const;
  const batch = aBatch([1], { view: aView({ status: 'paused' }) });
  const events = [...batch.events, paused(2, 'uma'), paused(3, 'ada')];
  await writeTo(api.store, { id: 'P', tenantId: 'demo' }, { ...batch, events });
  expect((await explain('P')).body).toMatchObject({
    summary: 'The run was paused by ada: the shop is closed.',
    actions: [
      { action: 'resume', command: { holdfast: 'npx holdfast resume P' } },
      { action: 'replan', command: { holdfast: "npx holdfast replan P '…'" } },
      { action: 'cancel', allowed: true },
    ],
  });
});

test('a run whose workflow task fails says so, without the message where anything is hidden', async () => {
  for (const [id, channels] of [
    ['X', []],
    ['Y', ['s']],
  ] as const) {
    await api.store.runs.create(aNewRun({ id, tenantId: 'demo', redaction: { ...NOTHING_REDACTED, channels } }));
    await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([1]));
    await api.store.failingRuns.note(id, { executionRunId: 'e1', by: 'code', reason: 'bad code' });
  }
  expect(at((await explain('X')).body, '/summary')).toMatch(/workflow task fails.*: bad code\.$/);
  expect(at((await explain('Y')).body, '/summary')).not.toContain('bad code');
});
