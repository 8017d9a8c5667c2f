import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { CompiledGraph } from '../../src/graph/compile/compile.ts';
import type { Catalog } from '../../src/graph/definition/catalog.ts';
import type { ChannelDefinition, GraphDefinition } from '../../src/graph/definition/definition.ts';
import { readRun } from '../../src/graph/run/run.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { randomCatalog, randomGraph } from '../support/builders/random-graphs.ts';
import { createRandom } from '../support/builders/random.ts';
import { repetitions } from '../support/builders/repetitions.ts';
import { STARTED_AT, runShuffled } from '../support/readers/shuffled-run.ts';
import type { ShuffledRun, ShuffledRunOptions } from '../support/readers/shuffled-run.ts';

/*
 * A worker that has run a graph before spends the same units on its next run as one that has not. Otherwise a history
 * recorded by one of them would not replay on the other.
 */

const ANYTHING: ChannelDefinition['schema'] = {
  $defs: { any: { anyOf: [{ pattern: '^[a-z]*' }, { items: { $ref: '#/$defs/any' } }] } },
  allOf: [{ $ref: '#/$defs/any' }],
  unevaluatedProperties: { $ref: '#/$defs/any' },
};

const GIVEN = { properties: { give: true, fail: { type: 'string', pattern: '^n' }, lose: { type: 'boolean' } } };

const catalog: Catalog = {
  ...randomCatalog,
  tools: Object.fromEntries(
    Object.entries(randomCatalog.tools).map(([name, tool]) => [name, { ...tool, parameters: GIVEN }]),
  ),
};

const graphs = randomGraph(1, 5).map((definition) => ({
  ...definition,
  channels: Object.fromEntries(
    Object.entries(definition.channels ?? {}).map(([name, channel]) => [name, { ...channel, schema: ANYTHING }]),
  ),
}));

function play(definition: GraphDefinition, seed: number, over: Partial<ShuffledRunOptions> = {}): ShuffledRun {
  const random = createRandom(seed);
  return runShuffled({ definition, catalog, choose: (count) => Math.floor(random.next() * count), ...over });
}

const paceOf = ({ steps, units }: ShuffledRun): unknown =>
  steps.map(({ hasYielded, work, events }, at) => [units[at], work, hasYielded, copyOf(events)]);

function copyOf<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

/** Compiles a copy, of which nothing has been used before. */
const coldGraph = (definition: GraphDefinition): CompiledGraph => compileGraph(copyOf(definition), copyOf(catalog));

const beginningOn =
  (graph: CompiledGraph): NonNullable<ShuffledRunOptions['begin']> =>
  (_graph, identity) =>
    startRun(graph, identity, { input: {}, startedAt: STARTED_AT });

test('a run costs the same computing units in a process that has run its graph before, and after its state was stored', () => {
  fc.assert(
    fc.property(graphs, fc.nat(), (definition, seed) => {
      const cold = play(definition, seed, {
        begin: beginningOn(coldGraph(definition)),
        carry: (_graph, run) => [coldGraph(definition), run],
      });
      play(definition, seed + 1);
      expect(paceOf(play(definition, seed))).toEqual(paceOf(cold));
      const stored = play(definition, seed, { carry: (graph, run) => [graph, readRun(copyOf(run))] });
      expect(paceOf(stored)).toEqual(paceOf(cold));
    }),
    { numRuns: repetitions(100) },
  );
});

const patterned = (count: number): ChannelDefinition => ({
  schema: {
    patternProperties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`^\\p{L}{1,3}${at}$`, true])),
  },
});
const definition = aDefinition({
  channels: { a: patterned(400), b: patterned(400) },
  nodes: { one: { type: 'set', write: { a: { x: 1 } } }, two: { type: 'set', write: { b: { y: 1 } } } },
});

test('a graph with large schemas costs the same computing units in its first run and in its second', () => {
  const graph = compileGraph(definition, catalog);
  const first = play(definition, 1, { begin: beginningOn(graph) });
  const second = play(definition, 1, { begin: beginningOn(graph) });
  expect(paceOf(second)).toEqual(paceOf(first));
});
