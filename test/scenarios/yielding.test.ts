import { expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { randomCatalog } from '../support/builders/random-graphs.ts';
import { createRandom } from '../support/builders/random.ts';
import { runShuffled } from '../support/readers/shuffled-run.ts';

const LARGE = 'x'.repeat(300_000);
const channels: GraphDefinition['channels'] = { log: { reducer: 'append' } };
const nodes: GraphDefinition['nodes'] = { a: { type: 'set', write: { log: LARGE } } };
const elements: GraphDefinition['edges'] = [{ from: '__start__', forEach: '[1, 2, 3, 4, 5, 6, 7, 8]', to: 'a' }];
const works = { type: 'tool', tool: 'work', args: { text: LARGE }, write: { log: 'done' } } as const;
const asks = { type: 'approval', title: 'May I?', details: LARGE, write: { log: 'done' } } as const;
const row = Object.fromEntries(
  ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, { type: 'set', write: { log: LARGE } } as const]),
);

test.each([
  ['a chain of nodes', aDefinition({ nodes: row }), 6],
  ['parallel nodes', aDefinition({ nodes, edges: elements }), 8],
  ['many tool calls', aDefinition({ nodes: { a: works }, edges: elements }), 8],
  ['many approvals', aDefinition({ nodes: { a: asks }, edges: elements }), 8],
  [
    'many nodes in a subgraph',
    aDefinition({
      nodes: { sub: { type: 'subgraph', graph: aDefinition({ channels, nodes, edges: elements }), write: 'log' } },
    }),
    1,
  ],
])('a run with many events in one advance of the interpreter yields and continues: %s', (...[, definition, length]) => {
  const random = createRandom(1);
  const choose = (count: number): number => Math.floor(random.next() * count);
  const { run, steps } = runShuffled({ definition, catalog: randomCatalog, choose });
  expect(steps.some(({ hasYielded }) => hasYielded)).toBe(true);
  expect(run.status).toBe('completed');
  expect(run.root.channels['log']).toHaveLength(length);
});

test('the last node of a failed run yields and continues', () => {
  const graph = aDefinition({ channels, nodes, edges: elements });
  const definition = aDefinition({
    nodes: {
      bad: { type: 'set', write: { log: '{{ state.log[0] }}' } },
      tell: { type: 'subgraph', graph, write: 'log' },
    },
    edges: [{ from: '__start__', to: 'bad' }],
    onFail: 'tell',
  });
  const { run, steps } = runShuffled({ definition, catalog: randomCatalog, choose: () => 0 });
  expect(steps.some(({ hasYielded }) => hasYielded)).toBe(true);
  expect([run.status, run.error?.node, run.root.channels['log']]).toEqual(['failed', 'bad', [expect.anything()]]);
});
