import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { readRun } from '../../src/graph/run/run.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { expensiveGraph } from '../support/builders/expensive-graphs.ts';
import { randomCatalog } from '../support/builders/random-graphs.ts';
import { repetitions } from '../support/builders/repetitions.ts';
import { runShuffled } from '../support/readers/shuffled-run.ts';
import type { ShuffledRun, ShuffledRunOptions } from '../support/readers/shuffled-run.ts';

/*
 * A replay must stop where the run did, so the units of an `advance` depend only on the run: not on what the process
 * has computed before, and not on how the run has reached its state.
 */

/** The units beyond which an `advance` yields. */
const UNITS = 3_000_000;
/** The most expensive parts that can't be interrupted: the writes and the edges of a superstep. */
const ELEMENT = 10_000_000;

const first = (): number => 0;
const play = (definition: GraphDefinition, carry?: ShuffledRunOptions['carry']): ShuffledRun =>
  runShuffled({ definition, catalog: randomCatalog, choose: first, ...(carry && { carry }) });
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe('every computation', () => {
  test('every computation costs the same computing units in a fresh, a warm and another process, and few units beyond its budget', () => {
    const wanted = repetitions(30);
    let tried = 0;
    fc.assert(
      fc.property(expensiveGraph, (definition) => {
        tried += 1;
        const fresh = play(definition);
        const warm = play(definition);
        const elsewhere = play(copyOf(definition), (_graph, run) => [
          compileGraph(copyOf(definition), randomCatalog),
          readRun(copyOf(run)),
        ]);
        expect(warm.units).toEqual(fresh.units);
        expect(elsewhere.units).toEqual(fresh.units);
        expect(Math.max(...fresh.units)).toBeLessThanOrEqual(UNITS + ELEMENT);
      }),
      { numRuns: wanted, interruptAfterTimeLimit: 120_000 },
    );
    // A busy machine may not finish all of them.
    expect(tried).toBeGreaterThanOrEqual(Math.min(wanted, 5));
  }, 300_000);

  test.each<[string, JsonObject]>([
    ['a pattern', { type: 'string', pattern: '(a+){1,20}$' }],
    ['references', { $ref: '#/$defs/t', $defs: { t: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/t/anyOf/0' }] } } }],
    ['names by patterns', { patternProperties: { '^[a-z]{5,50}$': true } }],
  ])('the first check by a schema with %s costs the same computing units as later ones', (_what, schema) => {
    const nodes = { wait: { type: 'wait', for: '1s' }, a: { type: 'set', write: { log: 'aaa' } } } as const;
    const definition = aDefinition({ channels: { log: { schema } }, nodes });
    const fresh = play(definition);
    expect(fresh.run.status).toBe('completed');
    expect(play(definition).units).toEqual(fresh.units);
  });
});

test('a valid superstep that is too large for one advance of the interpreter yields and continues', () => {
  const sum = '{{ size(state.l.filter(x, state.l.exists(y, x + y == item))) }}';
  const definition = aDefinition({
    channels: { l: { default: Array.from({ length: 100 }, (_, at) => at) }, log: { reducer: 'append' } },
    nodes: { begin: { type: 'set' }, each: { type: 'set', write: { log: sum } } },
    edges: [
      { from: '__start__', to: 'begin' },
      { from: 'begin', forEach: 'state.l', to: 'each' },
    ],
  });
  const { run, steps, units } = play(definition);
  expect(run.status).toBe('completed');
  expect(run.root.channels['log']).toHaveLength(100);
  expect(steps.filter(({ hasYielded }) => hasYielded).length).toBeGreaterThan(1);
  expect(Math.max(...units)).toBeLessThan(1.3 * UNITS);
});
