import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../../support/builders/builders.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { json, silence, startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../support/doubles/loopback-server.ts';
import { eventsOf } from '../../support/readers/api-runs.ts';
import { listAt, textAt } from '../../support/readers/json-at.ts';
import { createRunControls } from '../../support/readers/run-controls.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let server: LoopbackServer;
let stack: TestStack;
beforeAll(async () => {
  server = await startLoopbackServer();
  stack = await startTestStack({ tools: [aToolOf(server)], http: { allow: [server.address] } });
});
afterAll(async () => {
  await stack.stop();
  await server.stop();
});

const { get, runOf, control, until } = createRunControls(() => stack.as('user'));

test('events of a finished task are readable while another task of its superstep still executes', async () => {
  const straggler = silence();
  server.answers(json({ n: 1 }), json({ n: 1 }), json({ n: 1 }), straggler.answer);
  const graph = aDefinition({
    channels: { items: {}, log: { reducer: 'append' } },
    nodes: { work: { type: 'tool', tool: 'work', write: { log: '{{ result.n }}' } } },
    edges: [{ from: '__start__', forEach: 'state.items', to: 'work' }],
  });
  const input = { items: [1, 2, 3, 4] };
  const id = textAt((await stack.as('user').post('/api/runs', { graph, input })).body, '/id');
  await straggler.asked;
  const finished = async (): Promise<unknown> => await eventsOf(stack.as('user'), id, 'node.completed');
  await expect.poll(finished).toHaveLength(3);
  expect(await runOf(id)).toMatchObject({ status: 'running', usage: { toolCalls: 3 } });
  const pending = listAt(await get(`/api/runs/${id}/state`), '/pending');
  expect(pending).toMatchObject(Array.from({ length: 3 }, () => ({ node: 'work', update: { log: 1 } })));
  await control(id, 'cancel');
  await until(id, 'canceled');
});
