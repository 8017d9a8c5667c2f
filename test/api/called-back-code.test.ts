import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENTLY, eventsOf } from '../support/api-runs.ts';
import { aDefinition } from '../support/builders.ts';
import { at, textAt } from '../support/json-at.ts';
import { createRunControls } from '../support/run-controls.ts';
import { startTestStack } from '../support/test-stack.ts';
import type { TestStack } from '../support/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('called-back-code.config.ts', import.meta.url)));
});
afterAll(async () => await stack.stop());

const { until, control } = createRunControls(() => stack.as('user'));

test('a function that the deadline around it calls back is made again by a person, and all of it can be replayed', async () => {
  const child = aDefinition({
    name: 'child',
    nodes: { hang: { type: 'function', function: 'hangsOnce', write: { log: '{{ result }}' } } },
  });
  const graph = aDefinition({
    nodes: {
      sub: { type: 'subgraph', graph: child, deadline: '1s', onError: 'intervene', write: { log: '{{ result.log }}' } },
    },
  });
  const id = textAt((await stack.as('user').post('/api/runs', { graph })).body, '/id');
  expect(await until(id, 'waiting')).toMatchObject({ waitingFor: [{ kind: 'intervention', node: 'sub' }] });
  await control(id, 'retry');
  expect(await until(id, 'completed')).toMatchObject({ output: { log: ['done'] } });
  const { body } = await stack.as('user').post(`/api/runs/${id}/replay`, {});
  expect(at(body, '/divergence')).toBeNull();
});

test('a call that can be undone ends although its run is canceled meanwhile, and is undone then', async () => {
  const compensate = { tool: 'payBack', args: { receipt: '{{ result.receipt }}' } };
  const graph = aDefinition({ nodes: { pay: { type: 'tool', tool: 'paySlowly', compensate } } });
  const id = textAt((await stack.as('user').post('/api/runs', { graph })).body, '/id');
  await expect.poll(async () => await eventsOf(stack.as('user'), id, 'tool.requested'), PATIENTLY).toHaveLength(1);
  await control(id, 'cancel', { reason: 'enough' });
  await until(id, 'canceled');
  const undone = { node: 'pay', tool: 'payBack', result: { receipt: 'r1' } };
  expect(await eventsOf(stack.as('user'), id, 'node.compensated')).toMatchObject([undone]);
});
