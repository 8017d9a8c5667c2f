import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiClient } from '../../support/readers/api-client.ts';
import { hasStatus } from '../../support/readers/api-runs.ts';
import { listAt, textAt } from '../../support/readers/json-at.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { startIssuingStack } from '../../support/servers/issuing-stack.ts';
import type { IssuingStack } from '../../support/servers/issuing-stack.ts';

/* Custom roles of a configuration, in a complete installation. */

let stack: IssuingStack;
beforeAll(async () => {
  stack = await startIssuingStack({
    roles: {
      lead: ['run:read', 'approval:decide'],
      auditor: ['run:read', 'payload:read'],
      operator: ['run:read', 'approval:decide', 'admin'],
      approver: ['run:read'],
    },
  });
  const ask = { type: 'approval', title: 'Go?', write: { log: '{{ result.decision }}' } } as const;
  const channels = { log: {}, pin: { redact: true } };
  await (await as('user')).post('/api/graphs', aDefinition({ name: 'ask', channels, nodes: { ask } }));
});
afterAll(async () => {
  await stack.stop();
});

const as = async (role: string, tenant = 'demo'): Promise<ApiClient> =>
  await stack.as({ sub: role, tenant, roles: [role] });

async function startWaiting(): Promise<string> {
  const user = await as('user');
  const { body } = await user.post('/api/runs', { graph: 'ask', input: { pin: '1234' } });
  const id = textAt(body, '/id');
  await user.untilRun(id, hasStatus('waiting'));
  return id;
}

test('a custom role decides approvals whose policy names nobody, and a built-in role that lost the permission does not', async () => {
  const id = await startWaiting();
  const [lead, approver, auditor] = [await as('lead'), await as('approver'), await as('auditor')];
  for (const refused of [approver, auditor])
    expect(await refused.post(`/api/runs/${id}/approve`, {})).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
  const inbox = await lead.get('/api/approvals?mine=true&status=pending');
  expect(listAt(inbox.body, '/items')).toHaveLength(1);
  expect(await lead.post(`/api/runs/${id}/approve`, {})).toMatchObject({ status: 200, body: { status: 'approved' } });
  expect(await lead.untilRun(id, hasStatus('completed'))).toMatchObject({ output: { log: 'approved' } });
});

test('a custom role with payload:read reads redacted values and may not control runs', async () => {
  const id = await startWaiting();
  const [lead, auditor] = [await as('lead'), await as('auditor')];
  expect((await auditor.get(`/api/runs/${id}`)).body).toMatchObject({ input: { pin: '1234' } });
  expect((await lead.get(`/api/runs/${id}`)).body).toMatchObject({ input: { pin: '[redacted]' } });
  expect((await auditor.post(`/api/runs/${id}/cancel`, {})).status).toBe(403);
  expect((await auditor.post('/api/runs', { graph: 'ask' })).status).toBe(403);
});

test('a custom role with the permission of admins reads runs of other tenants by their ids', async () => {
  const id = await startWaiting();
  const [operator, lead] = [await as('operator', 'other'), await as('lead', 'other')];
  expect((await operator.get(`/api/runs/${id}`)).status).toBe(200);
  expect((await operator.get('/admin/runs')).status).toBe(200);
  expect((await lead.get(`/api/runs/${id}`)).status).toBe(404);
  expect((await lead.get('/admin/runs')).status).toBe(403);
});
