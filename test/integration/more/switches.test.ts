import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobService } from '../../support/doubles/job-service.ts';
import { aGraphOf, hasStatus, startAsking } from '../../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { startJobStack } from '../../support/servers/job-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let stack: TestStack;
let service: JobService;
let stop: () => Promise<void>;
beforeAll(async () => {
  const glance = { effect: 'idempotent', timeout: '5s', execution: 'local' } as const;
  ({ stack, service, stop } = await startJobStack({ tools: { job: {}, glance } }));
});
afterAll(async () => await stop());

async function turn(name: string, state: 'on' | 'off'): Promise<void> {
  const { status } = await stack.as('admin').send(`/admin/switches/tool/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ state, reason: 'the gateway is down' }),
  });
  expect([200, 201]).toContain(status);
}

const explain = async (runId: string) => (await stack.as('user').get(`/api/runs/${runId}/explain`)).body;

test.each(['job', 'glance'])(
  'a call of the disabled tool %s waits with a reason, and is made once when the tool is enabled',
  async (tool) => {
    await turn(tool, 'off');
    const graph = aGraphOf({ type: 'tool', tool, args: { job: tool } }, { limits: { deadline: '1h' } });
    const runId = textAt((await stack.as('user').post('/api/runs', { graph })).body, '/id');
    await expect.poll(async () => textAt(await explain(runId), '/reasons/0/kind')).toBe('switched-off');
    await expect.poll(async () => at(await explain(runId), '/reasons/0/calls')).toHaveLength(1);
    const explanation = await explain(runId);
    const key = textAt(explanation, '/reasons/0/calls/0');
    expect(textAt(explanation, '/summary')).toContain(`the call ${key} of the tool ${tool} waits`);
    expect(await stack.as('user').get(`/api/runs/${runId}/calls/${encodeURIComponent(key)}`)).toMatchObject({
      status: 200,
      body: { key, name: tool },
    });
    expect(textAt(explanation, '/summary')).toContain('the gateway is down');
    expect(at(explanation, '/deadline')).toMatchObject({ at: expect.any(String), leftMs: 3_600_000 });
    await expect
      .poll(async () =>
        at((await stack.as('admin').get(`/admin/runs/${runId}`)).body, '/pendingActivities/0/lastFailure'),
      )
      .toContain('switched off');
    expect(service.calls.filter(({ job }) => job === tool)).toEqual([]);
    await turn(tool, 'on');
    await stack.as('user').untilRun(runId, hasStatus('completed'), 30_000);
    expect(service.calls.filter(({ job }) => job === tool)).toHaveLength(1);
  },
);

test('the audit lists decisions and controls of people with their runs', async () => {
  const { runId, approvalId } = await startAsking(stack.as('user'));
  await stack.as('user').post(`/api/runs/${runId}/pause`, {});
  await stack.as('approver').post(`/api/runs/${runId}/approve`, { reason: 'canary-4711' });
  const many = await startAsking(stack.as('user'));
  const decisions = [{ approvalId: many.approvalId, decision: 'reject', reason: 'no' }];
  await stack.as('approver').post('/api/approvals/decisions', { decisions });
  const { body } = await stack.as('admin').get(`/admin/audit?runId=${runId}`);
  expect(listAt(body, '/items')).toMatchObject([
    { action: 'approval.approve', subject: approvalId, runId, tenantId: 'demo', roles: ['approver'] },
    { action: 'run.pause', subject: runId, runId, roles: ['user'] },
  ]);
  expect(JSON.stringify(body)).not.toContain('canary-4711');
  const rejected = await stack.as('admin').get(`/admin/audit?runId=${many.runId}`);
  expect(listAt(rejected.body, '/items')).toMatchObject([{ action: 'approval.reject', subject: many.approvalId }]);
});
