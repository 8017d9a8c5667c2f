import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('../../support/servers/large-values.config.ts', import.meta.url)));
});
afterAll(async () => await stack.stop());

const ended = hasStatus('completed', 'failed', 'canceled');
/** An embedded database on a busy machine takes a second to write a megabyte. */
const PATIENCE_MS = 60_000;
/** Close to the maximum size of a result. */
const LENGTH = 4_900_000;
const make: NodeDefinition = { type: 'tool', tool: 'make', args: { length: LENGTH }, write: 'text' };
const measure: NodeDefinition = {
  type: 'tool',
  tool: 'measure',
  args: { text: '{{ state.text }}' },
  write: { lengths: '{{ result }}' },
};
const channels = { text: {}, lengths: { reducer: 'append' } } as const;

async function start(graph: GraphDefinition, input: Json = {}): Promise<string> {
  return textAt((await stack.as('user').post('/api/runs', { graph, input })).body, '/id');
}

test('a hundred parallel calls whose arguments together exceed one request to Temporal are all made', async () => {
  const graph = aDefinition({
    channels: { ...channels, turns: { default: [...Array(100).keys()] } },
    nodes: { measure },
    edges: [{ from: '__start__', forEach: 'state.turns', to: 'measure' }],
  });
  const id = await start(graph, { text: 'x'.repeat(60_000) });
  const run = await stack.as('user').untilRun(id, ended, PATIENCE_MS);
  expect(run).toMatchObject({ status: 'completed', error: null });
  expect(listAt(run, '/output/lengths')).toEqual(Array(100).fill(60_000));
  expect(await eventsOf(stack.as('user'), id, 'tool.requested')).toHaveLength(100);
});

test('a value of five megabytes passes through a channel, an approval and a call unchanged', async () => {
  const ask: NodeDefinition = { type: 'approval', title: 'Measure it?' };
  const user = stack.as('user');
  const id = await start(aDefinition({ channels, nodes: { make, ask, measure } }));
  const asking = await user.untilRun(id, hasStatus('waiting'), PATIENCE_MS);
  const approval = textAt(asking, '/waitingFor/0/id');
  await stack.as('approver').post(`/api/approvals/${approval}/decision`, { decision: 'approve' });
  const run = await user.untilRun(id, ended, PATIENCE_MS);
  expect(at(run, '/error')).toBeNull();
  expect(at(run, '/output')).toEqual({ text: 'x'.repeat(LENGTH), lengths: [LENGTH] });
}, 150_000);

test('arguments above the size limit fail their node before the call, and the run continues by onError', async () => {
  const graph = aDefinition({
    channels: { ...channels, code: {} },
    output: ['code'],
    nodes: {
      make,
      large: {
        type: 'tool',
        tool: 'measure',
        args: { text: '{{ state.text }}'.repeat(2) },
        onError: { to: 'after', write: { code: '{{ error.code }}' } },
      },
      after: { type: 'set', write: { text: null } },
    },
  });
  const user = stack.as('user');
  const id = await start(graph);
  expect(await user.untilRun(id, ended, PATIENCE_MS)).toMatchObject({
    status: 'completed',
    output: { code: 'PAYLOAD_TOO_LARGE' },
  });
  expect(await eventsOf(user, id, 'tool.requested')).toMatchObject([{ node: 'make' }]);
  expect(await eventsOf(user, id, 'node.failed')).toMatchObject([
    { node: 'large', step: 1, error: { code: 'PAYLOAD_TOO_LARGE', node: 'large' } },
  ]);
});
