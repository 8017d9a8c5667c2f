import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../support/builders.ts';
import { eventsOf } from '../support/api-runs.ts';
import { aToolOf } from '../support/configured-tool.ts';
import { at, textAt } from '../support/json-at.ts';
import { json, startLoopbackServer } from '../support/loopback-server.ts';
import type { LoopbackServer } from '../support/loopback-server.ts';
import { startTestStack } from '../support/test-stack.ts';
import type { TestStack } from '../support/test-stack.ts';

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

test('a result of almost a megabyte goes through channels, checkpoints and the next call, and comes out whole', async () => {
  const large = 'x'.repeat(900_000);
  server.answers(json({ large }), json({ received: true }));
  const graph = aDefinition({
    channels: { document: {}, copy: {}, done: {} },
    nodes: {
      fetch: { type: 'tool', tool: 'work', args: { get: 'document' }, write: { document: '{{ result.large }}' } },
      copy: { type: 'set', write: { copy: '{{ state.document }}' } },
      send: { type: 'tool', tool: 'work', args: { put: '{{ state.copy }}' }, write: { done: '{{ result.received }}' } },
    },
  });
  const { body } = await stack.as('user').post('/api/runs', { graph }, { prefer: 'wait=60' });
  expect(body).toMatchObject({ status: 'completed', error: null });
  expect(at(body, '/output')).toEqual({ document: large, copy: large, done: true });
  expect(JSON.parse(server.requests.at(-1)?.body ?? '')).toEqual({ put: large });
  const [called] = await eventsOf(stack.as('user'), textAt(body, '/id'), 'tool.called');
  expect(called).toMatchObject({ result: { large } });
});
