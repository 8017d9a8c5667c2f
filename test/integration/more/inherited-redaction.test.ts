import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { hasStatus, postRun } from '../../support/readers/api-runs.ts';
import { allOf, patchState } from '../../support/readers/api-states.ts';
import { listAt, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({});
});
afterAll(() => stack.stop());

const SECRET = 'canary-4711';

/** A graph whose channel `secret` is redacted. */
const secretive = (over: Partial<GraphDefinition>): GraphDefinition =>
  aDefinition({ channels: { secret: { redact: true }, copy: {}, n: {} }, ...over });

/** A graph that has none of its channels. */
const foreign = (
  nodes: Readonly<Record<string, NodeDefinition>>,
  over: Partial<GraphDefinition> = {},
): GraphDefinition => aDefinition({ channels: { pub: {} }, nodes, ...over });

async function start(graph: GraphDefinition, over: object = {}): Promise<string> {
  const asked = { graph, input: { secret: SECRET }, ...over };
  const { status, body } = await postRun(stack.as('user'), asked);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return textAt(body, '/id');
}

/** Forks a run at its newest checkpoint. */
async function fork(id: string, over: object): Promise<string> {
  const [newest] = listAt((await stack.as('user').get(`/api/runs/${id}/checkpoints`)).body, '/items');
  const checkpoint = textAt(newest ?? null, '/id');
  const { status, body } = await stack.as('user').post(`/api/runs/${id}/fork`, { checkpoint, ...over });
  if (status !== 201) throw new Error(JSON.stringify(body));
  expect(JSON.stringify(body)).not.toContain(SECRET);
  const forked = textAt(body, '/id');
  await until(forked, 'completed');
  return forked;
}

/** All data of a run that a role may read, as one text. */
async function textOf(role: 'user' | 'admin', id: string): Promise<string> {
  return JSON.stringify(await allOf(stack.as(role), id));
}

const until = async (id: string, status: string): Promise<Json> =>
  await stack.as('user').untilRun(id, hasStatus(status));

describe('a fork with another graph', () => {
  test('a fork with another graph redacts the elements of its parent', async () => {
    const listing = secretive({
      nodes: { a: { type: 'set' }, work: { type: 'set' } },
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', forEach: '[state.secret]', to: 'work' },
      ],
      interruptBefore: ['work'],
    });
    const id = await start(listing);
    const forked = await fork(id, { graph: foreign({ work: { type: 'set', write: { pub: '{{ item }}' } } }) });
    expect(await textOf('user', forked)).not.toContain(SECRET);
    expect(await textOf('admin', forked)).toContain(`"pub":"${SECRET}"`);
  });

  test('a fork with another graph redacts the payloads of events, also as a fork of a fork', async () => {
    const paid: NodeDefinition = { type: 'wait', event: 'paid', write: 'secret' };
    const id = await start(
      secretive({
        nodes: { a: { type: 'wait', for: '1h' }, paid },
        edges: [
          { from: '__start__', to: 'a' },
          { from: 'a', to: 'paid' },
        ],
      }),
      { input: {} },
    );
    await stack.as('user').post(`/api/runs/${id}/signal`, { event: 'paid', payload: SECRET });
    await patchState(stack.as('user'), id, { values: { n: 1 } });
    const idle = await fork(id, { graph: foreign({ z: { type: 'set' } }), asNode: 'z' });
    const edges = [
      { from: '__start__', to: 'z' },
      { from: 'z', to: 'paid' },
    ];
    const taking = foreign({ z: { type: 'set' }, paid: { ...paid, write: 'pub' } }, { edges });
    const forked = await fork(idle, { graph: taking, asNode: 'z' });
    expect(await textOf('user', forked)).not.toContain(SECRET);
    expect(await textOf('admin', forked)).toContain(`"pub":"${SECRET}"`);
    await stack.as('user').post(`/api/runs/${id}/cancel`, {});
  });
});
