import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { EdgeDefinition, GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Scope } from '../../src/graph/run/scope.ts';
import { fireEdges } from '../../src/graph/superstep/edges.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { addsNames, startRun } from '../support/builders/runs.ts';

const channels: NonNullable<GraphDefinition['channels']> = {
  log: { reducer: 'append' },
  list: {},
  n: { reducer: 'sum' },
};

const start = (edges: readonly EdgeDefinition[], nodes: GraphDefinition['nodes']) =>
  startRun({ channels, nodes, edges: [{ from: '__start__', to: 'a' }, ...edges] });

describe('a join', () => {
  test('a join runs when all sources have finished, and again in a loop', () => {
    const edges: EdgeDefinition[] = [
      { from: 'a', to: ['b', 'c'] },
      { from: 'c', to: 'e' },
      { from: ['b', 'e'], to: 'd' },
      { from: 'd', branches: [{ when: 'state.n < 2', to: 'a' }] },
    ];
    const nodes = { ...addsNames('a', 'b', 'c', 'e'), d: { type: 'set', write: { n: 1 } } } as const;
    const { steps } = start(edges, nodes);
    expect(steps).toEqual([['a'], ['b', 'c'], ['e'], ['d'], ['a'], ['b', 'c'], ['e'], ['d']]);
  });

  test('a join does not run if the error of one of its sources was diverted by onError', () => {
    const edges: EdgeDefinition[] = [
      { from: 'a', to: ['b', 'c'] },
      { from: ['b', 'c'], to: 'd' },
    ];
    const wrong = { type: 'set', write: { log: '{{ state.list[3] }}' }, onError: { to: 'e' } } as const;
    const { steps } = start(edges, { ...addsNames('a', 'c', 'd', 'e'), b: wrong });
    expect(steps).toEqual([['a'], ['b', 'c'], ['e']]);
  });

  /** `often` finishes in supersteps 2 and 3, `seldom` in 3 and, after `w`, in 5. */
  test.each([
    ['y', 'z'],
    ['z', 'y'],
  ])('a join consumes all arrivals of the superstep in which it fires: two of %s, one of %s', (often, seldom) => {
    const edges: EdgeDefinition[] = [
      { from: 'a', to: [often, 'p'] },
      { from: 'p', to: seldom },
      { from: often, branches: [{ when: 'size(state.log) < 4', to: often }, { to: '__end__' }] },
      { from: seldom, branches: [{ when: 'size(state.log) < 6', to: 'w' }, { to: '__end__' }] },
      { from: 'w', to: seldom },
      { from: ['y', 'z'], to: 'j' },
    ];
    const { checkpoints, steps } = start(edges, addsNames('a', 'p', 'w', 'y', 'z', 'j'));
    expect(steps).toEqual([['a'], [often, 'p'].toSorted(), ['y', 'z'], ['j', 'w'], [seldom]]);
    expect(checkpoints.at(-1)?.resumePoint.joins).toEqual({ 6: [seldom] });
  });

  test('a join consumes the arrival of an empty list, too', () => {
    const edges: EdgeDefinition[] = [
      { from: 'a', to: ['b', 'c'] },
      { from: 'b', forEach: '[]', to: 'd' },
      { from: ['b', 'd'], to: 'e' },
      { from: ['c', 'd'], to: 'f' },
    ];
    const { run, steps } = start(edges, addsNames('a', 'b', 'c', 'd', 'e', 'f'));
    expect(steps).toEqual([['a'], ['b', 'c'], ['e', 'f']]);
    expect(run.root.joins).toEqual({});
  });
});

describe('the arrivals at a join', () => {
  const edges: EdgeDefinition[] = [
    { from: ['a', 'b'], to: 'c' },
    { from: 'a', to: 'z' },
    { from: 'b', to: 'd' },
  ];

  test('the arrivals at a join are dropped when the run completes, so an edit as the other source does not run the target', () => {
    const run = start(edges, addsNames('a', 'b', 'c', 'd', 'z'));
    expect(run.run).toMatchObject({ status: 'completed', root: { joins: {} } });
    run.reopen('edit', { values: {}, asNode: 'b' });
    run.signal('resume', {});
    expect(run.steps).toEqual([['a'], ['z'], ['d']]);
  });

  test('the arrivals at a join are dropped when the run is canceled', () => {
    const run = start(edges, { ...addsNames('a', 'b', 'c', 'd'), z: { type: 'wait', event: 'never' } });
    expect(run.run.root.joins).toEqual({ 1: ['a'] });
    run.signal('cancel', {});
    run.reopen('edit', { values: {}, asNode: 'b' });
    run.signal('resume', {});
    expect(run.steps).toEqual([['a'], ['z'], ['d']]);
  });

  test('the arrivals at a join are kept when the run fails, for its retry', () => {
    const nodes = { ...addsNames('a', 'b', 'c', 'd'), z: { type: 'set', write: { n: '{{ state.list }}' } } } as const;
    const run = start([...edges, { from: 'z', to: 'b' }], nodes);
    expect(run.run).toMatchObject({ status: 'failed', root: { joins: { 1: ['a'] } } });
    run.reopen('edit', { values: { list: 1 } });
    run.reopen('retry');
    expect(run.steps).toEqual([['a'], ['z'], ['b'], ['c', 'd']]);
  });
});

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const name = fc.constantFrom(...NAMES);
const edge: fc.Arbitrary<EdgeDefinition> = fc.oneof(
  fc.record({ from: fc.subarray(NAMES, { minLength: 2, maxLength: 3 }), to: name }),
  fc.record({ from: name, forEach: fc.constantFrom('[]', '[1]'), to: name }),
);

const renamed = (one: EdgeDefinition, names: (id: string) => string): EdgeDefinition =>
  JSON.parse(JSON.stringify(one), (key, value: unknown) =>
    key !== 'forEach' && typeof value === 'string' ? names(value) : value,
  );

/** Returns what fires in each superstep, and what has arrived then, with the names of `NAMES`. */
function firings(
  edges: readonly EdgeDefinition[],
  supersteps: readonly (readonly string[])[],
  names: readonly string[],
): unknown {
  const given = (id: string): string => names[NAMES.indexOf(id)] ?? id;
  const original = (id: string): string => NAMES[names.indexOf(id)] ?? id;
  const nodes = addsNames(...NAMES);
  const named = edges.map((one) => renamed(one, given));
  const { outgoing } = compileGraph(aDefinition({ nodes, edges: named }), aCatalog());
  let joins: Scope['joins'] = {};
  return supersteps.map((finished) => {
    const most = { maxTasks: 100, maxBytes: 1_000 };
    const input = { finished: finished.map(given).toSorted(), already: [], bindings: () => ({}), ...most };
    const fired = fireEdges(outgoing, joins, input);
    joins = fired.joins;
    return {
      triggers: fired.triggers.map(({ node, element }) => `${original(node)} ${element?.index ?? ''}`).toSorted(),
      joins: Object.entries(joins).map(([id, arrived]) => [id, arrived.map(original).toSorted()]),
    };
  });
}

test('a join fires at the same arrivals after its source nodes are renamed', () => {
  const edges = fc.array(edge, { minLength: 1, maxLength: 6 });
  const supersteps = fc.array(fc.subarray(NAMES, { minLength: 1 }), { minLength: 1, maxLength: 4 });
  const names = fc.shuffledSubarray(NAMES, { minLength: NAMES.length });
  fc.assert(
    fc.property(edges, supersteps, names, (...[all, steps, other]) => {
      expect(firings(all, steps, other)).toEqual(firings(all, steps, NAMES));
    }),
    { numRuns: 1_000 },
  );
});
