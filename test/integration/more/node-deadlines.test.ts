import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { eventsOf } from '../../support/readers/api-runs.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { json, silence, startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../support/doubles/loopback-server.ts';
import { createRunControls } from '../../support/readers/run-controls.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/* Runs continue as new whenever they wait, so that each deadline began in another execution. */

let server: LoopbackServer;
let stack: TestStack;
beforeAll(async () => {
  server = await startLoopbackServer();
  const defaults = { continueAfter: 1, heartbeatTimeout: '10s' };
  stack = await startTestStack({ tools: [aToolOf(server)], http: { allow: [server.address] }, defaults });
});
afterEach(() => server.forget());
afterAll(async () => {
  await stack.stop();
  await server.stop();
});

const { until, control } = createRunControls(() => stack.as('user'));
const works: NodeDefinition = { type: 'tool', tool: 'work', args: {}, write: { log: '{{ result.n }}' } };
const waits: NodeDefinition = { type: 'wait', event: 'go' };

function timed(over: Partial<GraphDefinition>, more: object = {}): NodeDefinition {
  return { type: 'subgraph', graph: aDefinition(over), write: { log: '{{ result.log }}' }, ...more };
}

async function start(nodes: GraphDefinition['nodes'], edges?: GraphDefinition['edges']): Promise<string> {
  const graph = aDefinition({ nodes, ...(edges && { edges }) });
  const { body } = await stack.as('user').post('/api/runs', { graph });
  return textAt(body, '/id');
}

async function whatFailed(id: string): Promise<Json[]> {
  const events = await eventsOf(stack.as('user'), id);
  const failed = events.filter((event) => at(event, '/error') !== null && at(event, '/error') !== undefined);
  return failed.map((event) => `${textAt(event, '/type')} ${textAt(event, '/error/code')}`);
}

async function divergenceOf(id: string): Promise<Json | undefined> {
  const { status, body } = await stack.as('user').post(`/api/runs/${id}/replay`, {});
  return status === 201 ? at(body, '/divergence') : body;
}

describe('a subgraph whose deadline is over', () => {
  test('a subgraph whose deadline has passed cancels its open calls and fails, replays, and continues when retried', async () => {
    const { answer: never, asked } = silence();
    server.answers(json({ n: 1 }), never);
    const id = await start({ sub: timed({ nodes: { first: works, second: works } }, { deadline: '10s' }) });
    await asked;
    expect(await until(id, 'failed')).toMatchObject({ error: { code: 'TIMEOUT', node: 'sub' } });
    expect(await whatFailed(id)).toEqual([
      'node.failed TIMEOUT',
      'tool.called CANCELED',
      'node.failed CANCELED',
      'run.failed TIMEOUT',
    ]);
    expect(await divergenceOf(id)).toBeNull();
    server.answers(json({ n: 2 }));
    await control(id, 'retry');
    expect(await until(id, 'completed')).toMatchObject({ output: { log: [1, 2] } });
    expect(server.requests).toHaveLength(3);
    expect(await divergenceOf(id)).toBeNull();
  });

  test('a subgraph whose deadline has passed continues by onError, and each element of a forEach has its own deadline', async () => {
    const inner = (deadline: string): NodeDefinition => timed({ nodes: { w: waits } }, { deadline });
    const graph = { nodes: { a: inner('1500ms'), b: inner('500ms') }, edges: [{ from: '__start__', to: ['a', 'b'] }] };
    const sub = timed(graph, { onError: { to: 'z', write: { log: '{{ error.code }}' } } });
    const edges = [{ from: '__start__', forEach: '[1, 2]', to: 'sub' }];
    const id = await start({ sub, z: { type: 'set', write: { log: 'z' } } }, edges);
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['TIMEOUT', 'TIMEOUT', 'z'] } });
    expect(await divergenceOf(id)).toBeNull();
  });
});

test('a wait node whose deadline has passed fails, and can be replayed', async () => {
  const id = await start({ w: { ...waits, deadline: '300ms', timeout: '1h' } });
  expect(await until(id, 'failed')).toMatchObject({ error: { code: 'TIMEOUT', node: 'w' } });
  expect(await divergenceOf(id)).toBeNull();
});

test('equal wait nodes of several elements are replayed by the order of their deadlines', async () => {
  const channels = { span: {}, log: {} };
  const nodes: GraphDefinition['nodes'] = {
    w: { type: 'wait', for: '{{ state.span }}' },
    x: { type: 'set', write: { log: '{{ state.span }}' } },
  };
  const sub = timed({ channels, nodes }, { input: { span: '{{ item }}' } });
  const edges = [{ from: '__start__', forEach: '["900ms", "100ms"]', to: 'sub' }];
  const id = await start({ sub }, edges);
  expect(await until(id, 'completed')).toMatchObject({ output: { log: ['900ms', '100ms'] } });
  expect(await divergenceOf(id)).toBeNull();
});
