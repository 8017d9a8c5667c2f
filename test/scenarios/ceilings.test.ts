import { describe, expect, test } from 'vitest';
import { CEILINGS } from '../../src/graph/definition/limits.ts';
import type { Ceilings } from '../../src/graph/definition/limits.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import type { Outside } from '../support/doubles/memory-shell.ts';
import type { ShownRun } from '../support/readers/shown-run.ts';

const asks = { type: 'approval', title: 'May I?' } as const;
const writes = { type: 'set', write: { log: 'x' } } as const;
const approves: Outside = { approval: () => ({ decision: 'approve' }) };

function play(definition: GraphDefinition, ceilings: Partial<Ceilings>): ShownRun {
  const catalog = aCatalog({ ceilings: { ...CEILINGS, ...ceilings } });
  return runInMemory({ definition, catalog, input: {} }, approves).run;
}

/** Nested graphs: each level contains two of the next level. @param leaf the nodes of the innermost level */
function doubling(levels: number, leaf: GraphDefinition['nodes']): GraphDefinition {
  if (levels === 0) return besideEachOther(leaf);
  const graph = doubling(levels - 1, leaf);
  return besideEachOther({ a: { type: 'subgraph', graph }, b: { type: 'subgraph', graph } });
}

function besideEachOther(nodes: GraphDefinition['nodes']): GraphDefinition {
  return aDefinition({ nodes, edges: Object.keys(nodes).map((to) => ({ from: '__start__', to })) });
}

describe('the tasks of a superstep', () => {
  const listing = (list: string): GraphDefinition =>
    aDefinition({
      nodes: { a: writes, b: writes },
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', forEach: list, to: 'b' },
      ],
    });

  test('the tasks of a superstep may be as many as the installation allows', () => {
    expect(play(listing('[1, 2, 3]'), { superstepTasks: 3 }).status).toBe('completed');
    expect(play(listing('[1, 2, 3, 4]'), { superstepTasks: 3 })).toMatchObject({
      status: 'failed',
      error: {
        code: 'EXPRESSION_FAILED',
        node: 'a',
        message: '4 tasks would run in one superstep; this installation allows 3 (ceilings.superstepTasks)',
      },
    });
  });

  test('the tasks of a superstep include those of its subgraphs', () => {
    // Two levels have 2 + 4 tasks with graphs, and 4 * 2 that request approvals.
    const asking = doubling(2, { a: asks, b: asks });
    expect(play(asking, { superstepTasks: 14 }).status).toBe('completed');
    expect(play(asking, { superstepTasks: 13 })).toMatchObject({
      status: 'failed',
      error: { code: 'GRAPH_RECURSION_LIMIT', message: expect.stringContaining('14 tasks would run in one superstep') },
    });
  });

  test('the tasks of a superstep are counted the same if subgraphs run in parallel or in sequence', () => {
    const writing = doubling(3, { a: writes, b: writes });
    expect(play(writing, { superstepTasks: 30 }).status).toBe('completed');
    expect(play(writing, { superstepTasks: 29 })).toMatchObject({ error: { code: 'GRAPH_RECURSION_LIMIT' } });
  });

  test('a subgraph counts with the number of tasks of its largest superstep, however many supersteps it has', () => {
    const chain = aDefinition({
      nodes: { a: writes, b: writes, c: writes },
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', to: ['b', 'c'] },
        { from: ['b', 'c'], to: '__end__' },
      ],
    });
    const around = besideEachOther({ sub: { type: 'subgraph', graph: chain } });
    expect(play(around, { superstepTasks: 3 }).status).toBe('completed');
    expect(play(around, { superstepTasks: 2 })).toMatchObject({ error: { code: 'GRAPH_RECURSION_LIMIT' } });
  });
});

test('a run of nested graphs ends once it has as many events as the installation allows', () => {
  const counting = doubling(8, { a: writes });
  const run = play(counting, { eventsPerRun: 500 });
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'GRAPH_RECURSION_LIMIT', message: expect.stringContaining('allows 500 (ceilings.eventsPerRun)') },
  });
});
