import { expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { ToolCallRequest } from '../../src/graph/run/effect.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { asks, pays } from '../support/builders/undoing.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

/** Calls with the key "lost" have an unknown outcome. */
function play(definition: GraphDefinition): MemoryRun {
  const tool = ({ args }: ToolCallRequest): Json => {
    const { key } = Object(args);
    if (key === 'lost') throw new CallFailure('UNKNOWN_OUTCOME', 'nobody knows');
    return { receipt: key };
  };
  return runInMemory({ definition, catalog: aCatalog(), input: {} }, { tool });
}

const inside = aDefinition({
  name: 'inside',
  channels: { items: { default: ['x', 'lost'] } },
  nodes: { each: pays('{{ item }}') },
  edges: [{ from: '__start__', forEach: 'state.items', to: 'each' }],
});

const unknown = (of: string) => ({
  code: 'UNKNOWN_OUTCOME',
  message: `Not compensated: ${of}: the outcome of the call is unknown`,
});

test.each<[string, GraphDefinition, ReturnType<typeof unknown>]>([
  ['a call', aDefinition({ nodes: { a: pays('lost') } }), unknown('a')],
  [
    'a call of a subgraph',
    aDefinition({ nodes: { sub: { type: 'subgraph', graph: inside } } }),
    unknown('sub/each[1]'),
  ],
  [
    'a call before the onCancel node',
    aDefinition({ nodes: { a: pays('lost'), bye: { type: 'set', write: { log: 'bye' } } }, onCancel: 'bye' }),
    unknown('a'),
  ],
  [
    'a call whose compensation failed',
    aDefinition({ nodes: { a: { ...pays('one'), compensate: { tool: 'gone' } }, ask: asks } }),
    { code: 'COMPENSATION_FAILED', message: 'Not compensated: a: Tool not found: gone' },
  ],
])('a run that is canceled reports %s of unknown outcome', (_, definition, cause) => {
  const run = play(definition);
  expect(run.run).toMatchObject({ status: 'waiting', error: null });
  run.signal('cancel', { by: { sub: 'ada', roles: [] } });
  expect(run.run).toMatchObject({
    status: 'canceled',
    error: { code: 'CANCELED', message: 'Canceled by ada', cause },
  });
});
