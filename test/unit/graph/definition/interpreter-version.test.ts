import { expect, test } from 'vitest';
import { INTERPRETER_VERSION } from '../../../../src/graph/definition/definition.ts';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import type { JsonObject } from '../../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { runInMemory } from '../../../support/doubles/memory-shell.ts';
import { runShuffled } from '../../../support/readers/shuffled-run.ts';

/*
 * A replay stops where the run did, so prices and limits belong to the version of the interpreter. A changed number
 * here needs another version (docs/versioning.md).
 */

const LIST = Array.from({ length: 200 }, (_, at) => at);
const pairs = (count: number): string =>
  `{{ state.l.filter(x, x < ${count}).exists(y, state.l.exists(z, y + z < 0)) }}`;

/** A definition that spends on each kind of work and yields several times. */
const DEAR = aDefinition({
  channels: {
    l: { default: LIST },
    s: { default: 'ab'.repeat(50) },
    sum: { reducer: { expr: 'current == null ? [update] : current + [update]' } },
    checked: { schema: { type: 'string', pattern: '^(ab){1,60}$' } },
    all: { reducer: 'union' },
    each: { reducer: 'append' },
  },
  nodes: {
    compute: { type: 'set', write: { sum: [pairs(10), pairs(60), '{{ json(state.s) }} {{ state.s.split("a") }}'] } },
    check: { type: 'set', write: { checked: '{{ state.s.replace("ab", "ab") }}', all: [1, { a: [2] }] } },
    element: { type: 'set', write: { each: pairs(150), all: ['{{ item }}', { a: [2] }] } },
    ask: { type: 'approval', title: 'Is {{ state.s.matches("(?i)b{2,9}$") }} true?', args: ['{{ state.each }}'] },
  },
  edges: [
    { from: '__start__', to: 'compute' },
    { from: 'compute', branches: [{ when: 'state.l.all(x, x >= 0)', to: 'check' }] },
    { from: 'check', forEach: 'state.l.filter(x, x < 40)', to: 'element' },
    { from: 'element', to: 'ask' },
  ],
});

/** Returns the limit that the error of a run names. */
function limitOf(over: Partial<GraphDefinition>): number {
  const channels: GraphDefinition['channels'] = { l: { default: LIST }, s: { default: 'x'.repeat(900_000) }, o: {} };
  const definition = aDefinition({ ...over, channels: { ...channels, ...over.channels } });
  const { error } = runInMemory({ definition, catalog: aCatalog(), input: {} }, {}).run;
  return Number(/(?:more than|over) (\d+)/.exec(error?.message ?? '')?.[1]);
}

const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
const writes = (write: JsonObject): Partial<GraphDefinition> => ({ nodes: { a: { type: 'set', write } } });

/** Definitions that each exceed one limit. */
const GREEDY: Readonly<Record<string, Partial<GraphDefinition>>> = {
  expression: writes({ o: '{{ state.l.exists(x, state.l.exists(y, state.l.exists(z, x < 0))) }}' }),
  task: writes({ o: many(400, pairs(200)) }),
  field: writes({ o: many(12, '{{ state.s }}') }),
  check: {
    channels: { o: { schema: { items: { items: { anyOf: many(200, { const: -1 }) } } } } },
    ...writes({ o: '{{ state.l.map(x, state.l) }}' }),
  },
  edges: {
    nodes: { a: { type: 'set' }, b: { type: 'set' } },
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', branches: many(400, { when: 'state.l.exists(x, state.l.exists(y, x + y < 0))', to: 'b' }) },
    ],
  },
  writes: {
    channels: { o: { reducer: { expr: 'update.exists(x, update.exists(y, x + y < 0)) ? 1 : 2' } } },
    nodes: { a: { type: 'set', write: { o: LIST } } },
    edges: [{ from: '__start__', forEach: 'state.l', to: 'a' }],
  },
};

test('prices and limits of expressions are unchanged in this interpreter version', () => {
  const { run, units } = runShuffled({ definition: DEAR, catalog: aCatalog(), choose: () => 0 });
  expect([run.status, run.error]).toEqual(['completed', null]);
  const limits = Object.fromEntries(Object.entries(GREEDY).map(([name, over]) => [name, limitOf(over)]));
  expect({ version: INTERPRETER_VERSION, units, limits }).toEqual({
    version: 1,
    units: [3_096_643, 3_175_620, 2_328_788, 9_005, 269],
    limits: {
      expression: 1_000_000,
      task: 3_000_000,
      field: 8_000_000,
      check: 2_000_000,
      edges: 5_000_000,
      writes: 5_000_000,
    },
  });
});
