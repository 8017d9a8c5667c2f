import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../../support/builders/builders.ts';
import type { JobService } from '../../support/doubles/job-service.ts';
import { hasStatus } from '../../support/readers/api-runs.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { startJobStack } from '../../support/servers/job-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/* Timers that start after the calls of a run were canceled. */

let stack: TestStack;
let service: JobService;
let stop: () => Promise<void>;
beforeAll(async () => {
  const asking = { when: 'true', timeout: '300ms' };
  const tools = { job: {}, undo: { approval: asking } };
  ({ stack, service, stop } = await startJobStack({ tools, defaults: { heartbeatTimeout: '10s' } }));
});
afterAll(async () => await stop());

test('a compensation of a canceled run is retried until its time limit and no longer', async () => {
  const job = (name: string) => ({ type: 'tool', tool: 'job', args: { job: name } }) as const;
  const pay = { ...job('pay'), compensate: { tool: 'undo', args: { job: 'undo' } } };
  const graph = aDefinition({ nodes: { pay, slow: job('slow') } });
  const held = service.hold('slow');
  const id = textAt((await stack.as('user').post('/api/runs', { graph, input: {} })).body, '/id');
  const release = await held;
  expect((await stack.as('user').post(`/api/runs/${id}/cancel`, {})).status).toBe(202);
  release();
  const run = await stack.as('user').untilRun(id, hasStatus('canceled'));
  expect(run).toMatchObject({ error: { cause: { message: expect.stringContaining('pay') } } });
  expect(service.done).not.toContain('undo');
});
