import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { aToolOf } from '../support/doubles/configured-tool.ts';
import { startHoldingService } from '../support/doubles/holding-service.ts';
import type { HoldingService } from '../support/doubles/holding-service.ts';
import { startJobService } from '../support/doubles/job-service.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { anAskingGraph, eventsOf, hasStatus, startRun } from '../support/readers/api-runs.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

/* One tenant has far more slow calls open than slots: the effect on other tenants, and on the calls. */

const RUNS = 3;
const CALLS = 100;
/** A single tenant gets half of a worker's 400 slots. */
const SLOTS = 200;
const PATIENTLY = { interval: 100, timeout: 60_000 };

const teardown = openTeardown();
let stack: TestStack;
let slow: HoldingService;
beforeAll(async () => {
  slow = await startHoldingService();
  teardown.add(() => slow.stop());
  const quick = await startJobService();
  teardown.add(() => quick.stop());
  stack = await startTestStack({
    tools: [aToolOf(slow, { name: 'slow', timeout: '10m' }), aToolOf(quick, { name: 'quick' })],
    http: { allow: [slow.address, quick.address] },
  });
  teardown.add(() => stack.stop());
});
afterAll(async () => await teardown.run());

const manySlowCalls: GraphDefinition = aDefinition({
  channels: { list: {}, log: { reducer: 'append' } },
  input: ['list'],
  output: [],
  nodes: {
    begin: { type: 'set', write: { log: 'begun' } },
    call: { type: 'tool', tool: 'slow', args: { n: '{{ item }}' } },
  },
  edges: [
    { from: '__start__', to: 'begin' },
    { from: 'begin', forEach: 'state.list', to: 'call' },
  ],
});
const trivial: GraphDefinition = aDefinition({
  nodes: {
    call: { type: 'tool', tool: 'quick', args: { job: 'small' } },
    end: { type: 'set', write: { log: 'over' } },
  },
});

async function startManySlowCalls(user: ApiClient): Promise<readonly string[]> {
  const input = { list: Array.from({ length: CALLS }, (_, n) => n) };
  const starts = Array.from({ length: RUNS }, () => user.post('/api/runs', { graph: manySlowCalls, input }));
  return (await Promise.all(starts)).map(({ body }) => textAt(body, '/id'));
}

test('hundreds of slow calls of one tenant delay neither other tenants nor the journal, and each is made once', async () => {
  const [user, other] = [stack.as('user'), stack.as('otherTenantUser')];
  const runs = await startManySlowCalls(user);
  await expect.poll(() => slow.open, PATIENTLY).toBe(SLOTS);

  expect(await startRun(other, trivial)).toMatchObject({ status: 'completed' });
  expect(await startRun(user, anAskingGraph())).toMatchObject({ status: 'waiting' });
  const held = textAt((await user.post('/api/runs', { graph: trivial, input: {} })).body, '/id');
  await expect.poll(async () => await eventsOf(user, held, 'tool.requested'), PATIENTLY).toHaveLength(1);
  expect(await eventsOf(user, held, 'tool.called')).toEqual([]);
  expect(slow).toMatchObject({ open: SLOTS, peak: SLOTS });

  slow.letGo();
  for (const id of [...runs, held]) await user.untilRun(id, hasStatus('completed', 'failed'), 120_000);
  expect(new Set(slow.keys).size).toBe(RUNS * CALLS);
  expect(slow.keys).toHaveLength(RUNS * CALLS);
  for (const id of runs) {
    const called = await eventsOf(user, id, 'tool.called');
    expect(called.map((event: Json) => at(event, '/attempts'))).toEqual(Array.from({ length: CALLS }, () => 1));
  }
}, 300_000);
