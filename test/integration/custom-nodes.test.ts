import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { postRun } from '../support/readers/api-runs.ts';
import { at } from '../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../support/readers/problems.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('../../examples/value-threshold.config.ts', import.meta.url)));
});
afterAll(async () => await stack.stop());

function routing(over: JsonObject = {}): JsonObject {
  return {
    name: 'routing',
    channels: { amount: {}, way: {} },
    nodes: {
      route: {
        type: 'threshold',
        value: '{{ state.amount }}',
        threshold: 100,
        atLeast: 'large',
        otherwise: 'small',
        mayGoto: ['large', 'small'],
        ...over,
      },
      large: { type: 'set', write: { way: 'large' } },
      small: { type: 'set', write: { way: 'small' } },
    },
    edges: [{ from: '__start__', to: 'route' }],
  };
}
const start = async (graph: JsonObject, amount: number | string) =>
  await postRun(stack.as('user'), { graph, input: { amount } });

describe('a node type that is registered by code', () => {
  test.each([
    [100, 'large'],
    [99.5, 'small'],
  ])('a custom node type routes the value %d to the node %s', async (amount, way) => {
    const { body } = await start(routing(), amount);
    expect(at(body, '/output/way')).toBe(way);
  });

  test('a custom node fails if the resolved value of a field violates its schema, before its code is called', async () => {
    const { body } = await start(routing(), '100');
    expect(at(body, '/error')).toMatchObject({
      code: 'FUNCTION_FAILED',
      message: expect.stringContaining('break the schema of "threshold" at /value'),
    });
  });

  test.each<[string, JsonObject, string]>([
    ['of the wrong type', { threshold: 'much' }, '/nodes/route/threshold'],
    ['that is not in its schema', { under: 1 }, '/nodes/route/under'],
    ['common to all nodes that is malformed', { timeout: 'soon' }, '/nodes/route/timeout'],
    ['with a malformed template', { value: '{{ state.' }, '/nodes/route/value'],
    ['that reads an unknown channel', { value: '{{ state.price }}' }, '/nodes/route/value'],
  ])('a definition is refused if its custom node has a field %s', async (...[, over, path]) => {
    const refused = await start(routing(over), 1);
    expect(refused).toMatchObject(aProblem(422, 'INVALID_GRAPH'));
    expect(issuePathsOf(refused)).toContain(path);
  });

  test('a custom node type is suggested for a misspelt node type', async () => {
    const refused = await start(routing({ type: 'treshold' }), 1);
    expect(JSON.stringify(refused.body)).toContain('Did you mean');
  });

  test('a custom node fails if its code routes to an undeclared node', async () => {
    const graph = routing({ mayGoto: ['large'] });
    const edges = [
      { from: '__start__', to: 'route' },
      { from: 'large', to: 'small' },
    ];
    const { body } = await start({ ...graph, edges }, 1);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'INVALID_GOTO', node: 'route' } });
  });
});
