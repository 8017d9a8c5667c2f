import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../../support/builders/builders.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { json, startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../support/doubles/loopback-server.ts';
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

test('a tool result of almost a megabyte passes through channels, checkpoints and the next call unchanged', async () => {
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

test('a decision on an approval with a megabyte of arguments returns its outcome at each attempt', async () => {
  const args = { document: 'x'.repeat(900_000) };
  const graph = aDefinition({
    channels: { document: {}, decision: {} },
    nodes: {
      ask: {
        type: 'approval',
        title: 'File it?',
        args: { document: '{{ state.document }}' },
        write: { decision: '{{ result.decision }}' },
      },
    },
  });
  const input = { document: args.document };
  const { body: asking } = await stack.as('user').post('/api/runs', { graph, input }, { prefer: 'wait=60' });
  const id = textAt(asking, '/id');
  const decide = async () =>
    await stack
      .as('approver')
      .post(`/api/runs/${id}/approve`, { reason: 'read' }, { 'idempotency-key': `large ${id}` });
  const decided = {
    status: 200,
    body: { status: 'approved', args, decisions: [{ decision: 'approve', reason: 'read' }] },
  };
  expect(await decide()).toMatchObject(decided);
  expect(await decide()).toMatchObject(decided);
  const run = await stack.as('user').untilRun(id, hasStatus('completed'));
  expect(at(run, '/output/decision')).toBe('approved');
});

test('a control that makes a run write a megabyte returns the run', async () => {
  const large = 'x'.repeat(600_000);
  const graph = aDefinition({
    channels: { document: {}, given: {} },
    nodes: {
      document: { type: 'set', write: { document: '{{ state.given + state.given }}' } },
      wait: { type: 'wait', event: 'go' },
    },
    edges: [
      { from: '__start__', to: 'document' },
      { from: '__start__', to: 'wait' },
    ],
  });
  const { body } = await stack.as('user').post('/api/runs', { graph, input: { given: large } }, { prefer: 'wait=60' });
  const { status, body: run } = await stack.as('user').post(`/api/runs/${textAt(body, '/id')}/pause`, {});
  expect(status).toBe(202);
  expect(run).toMatchObject({ id: textAt(body, '/id'), status: expect.any(String), step: 0 });
});
