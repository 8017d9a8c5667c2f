import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../../support/builders/builders.ts';
import type { JobService } from '../../support/doubles/job-service.ts';
import { aGraphOf, hasStatus, readAll } from '../../support/readers/api-runs.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { startJobStack } from '../../support/servers/job-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let stack: TestStack;
let service: JobService;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ stack, service, stop } = await startJobStack());
});
afterAll(async () => await stop());

const admin = async (path: string) => (await stack.as('admin').get(`/admin/runs${path}`)).body;

test('GET /admin/runs lists the runs of all tenants, or of one', async () => {
  for (const caller of ['user', 'otherTenantUser'] as const)
    await stack.as(caller).post('/api/runs', { graph: aDefinition({ name: 'listed' }), input: {} });
  const tenants = async (query: string) =>
    (await readAll(stack.as('admin'), `/admin/runs?graph=listed${query}`, 1)).map((run) => textAt(run, '/tenantId'));
  expect(await tenants('')).toEqual(['other', 'demo']);
  expect(await tenants('&tenantId=demo')).toEqual(['demo']);
});

test('an administrator reads the ledger calls and the Temporal activities of a run', async () => {
  const call = { type: 'tool', tool: 'job', args: { job: '{{ state.given }}' } } as const;
  const graph = aGraphOf(call, { channels: { answer: {}, given: { redact: true } }, input: ['given'] });
  const held = service.hold('held');
  const id = textAt(
    (await stack.as('otherTenantUser').post('/api/runs', { graph, input: { given: 'held' } })).body,
    '/id',
  );
  const release = await held;
  expect(await admin(`/${id}`)).toMatchObject({
    run: { id, tenantId: 'other', input: { given: 'held' } },
    events: {
      items: expect.arrayContaining([expect.objectContaining({ type: 'tool.requested', args: { job: 'held' } })]),
    },
    ledger: { items: [{ node: 'only', called: 'tool:job', status: 'claimed', result: null }], nextCursor: null },
    pendingActivities: [{ type: 'callTool', state: 'started', attempt: 1, lastFailure: null }],
  });
  release();
  await stack.as('otherTenantUser').untilRun(id, hasStatus('completed'));
  const over = await admin(`/${id}`);
  expect(over).toMatchObject({ ledger: { items: [{ status: 'completed' }] }, pendingActivities: [] });
  expect(at(await admin(`/${id}/ledger`), '/items')).toEqual(at(over, '/ledger/items'));
});
