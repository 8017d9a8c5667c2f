import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { approvalGates } from '../../../../src/graph/compile/approval-gates.ts';
import type { ApprovalNode } from '../../../../src/graph/compile/approval-gates.ts';
import { compileGraph } from '../../../../src/graph/compile/compile.ts';
import type { EdgeDefinition, GraphDefinition, NodeDefinition } from '../../../../src/graph/definition/definition.ts';
import { unitsSpent } from '../../../../src/graph/values/meter.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';

/** An approval with a unique name in its policy. */
const asks = (name: string): NodeDefinition => ({ type: 'approval', title: 'May I?', policy: { users: [name] } });
const works: NodeDefinition = { type: 'set', write: {} };
const graphWith = (ask: NodeDefinition): GraphDefinition => aDefinition({ name: 'inner', nodes: { ask } });

const CATALOG = aCatalog({ graphs: { 'shared@1': graphWith(asks('shared')) } });

/** The kinds of nodes, each with the approval that it passes when it finishes. */
const KINDS = {
  works: { node: () => works, passes: () => null },
  asks: { node: asks, passes: (id: string) => id },
  'has a graph that asks': {
    node: (id: string): NodeDefinition => ({ type: 'subgraph', graph: graphWith(asks(id)) }),
    passes: (id: string) => id,
  },
  'has a graph that others have': {
    node: (): NodeDefinition => ({ type: 'subgraph', graph: 'shared@1' }),
    passes: () => 'shared',
  },
} as const;

type Kind = keyof typeof KINDS;
const KIND_NAMES: readonly Kind[] = ['works', 'asks', 'has a graph that asks', 'has a graph that others have'];

/** A transition between nodes. A failure leaves a node that has not finished. */
interface Way {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly kind: 'plain' | 'branches' | 'failure';
}

interface RandomGraph {
  readonly kinds: Readonly<Record<string, Kind>>;
  readonly ways: readonly Way[];
}

const IDS = Array.from({ length: 9 }, (_, index) => `n${index}`);
const some = (names: readonly string[]): fc.Arbitrary<string[]> =>
  fc.subarray([...names], { minLength: 1, maxLength: 3 });

const anEdge: fc.Arbitrary<Way> = fc.record({
  from: fc.oneof(
    { arbitrary: some(['__start__', ...IDS.slice(0, 3)]), weight: 1 },
    { arbitrary: some(IDS), weight: 4 },
  ),
  to: some(IDS),
  kind: fc.constantFrom('plain', 'branches'),
});
const aFailure: fc.Arbitrary<Way> = fc
  .tuple(fc.constantFrom(...IDS), fc.constantFrom(...IDS))
  .map(([from, to]) => ({ from: [from], to: [to], kind: 'failure' }));

const aGraph: fc.Arbitrary<RandomGraph> = fc.record({
  kinds: fc
    .array(fc.constantFrom(...KIND_NAMES), { minLength: IDS.length, maxLength: IDS.length })
    .map((kinds) => Object.fromEntries(IDS.map((id, index) => [id, kinds[index] ?? 'works']))),
  ways: fc
    .tuple(
      some(IDS),
      fc.array(anEdge, { maxLength: 14 }),
      fc.uniqueArray(aFailure, { maxLength: 2, selector: ({ from }) => from[0] }),
    )
    .map(([to, edges, failures]) => [{ from: ['__start__'], to, kind: 'plain' } as const, ...edges, ...failures]),
});

const toEdge = ({ from, to, kind }: Way): EdgeDefinition =>
  kind === 'plain'
    ? { from, to }
    : { from, branches: [...to.map((one) => ({ when: 'true', to: one })), { to: '__end__' }] };

function toDefinition({ kinds, ways }: RandomGraph): GraphDefinition {
  const failures = new Map(ways.flatMap(({ from, to, kind }) => (kind === 'failure' ? [[from[0], to[0] ?? '']] : [])));
  const nodes = IDS.map((id) => {
    const to = failures.get(id);
    const node = KINDS[kinds[id] ?? 'works'].node(id);
    return [id, to === undefined ? node : { ...node, onError: { to } }] as const;
  });
  return aDefinition({
    nodes: Object.fromEntries(nodes),
    edges: ways.filter(({ kind }) => kind !== 'failure').map(toEdge),
  });
}

/** Returns the nodes that runs can reach without passing an approval, by the plain definition of gating. */
function reachedWithout(approval: string, { kinds, ways }: RandomGraph): ReadonlySet<string> {
  const reached = new Set(['__start__']);
  const kindOf = (node: string): Kind => kinds[node] ?? 'works';
  const leaves = (node: string, { kind }: Way): boolean => {
    const passes = kind !== 'failure' || kindOf(node) === 'asks';
    return reached.has(node) && !(passes && KINDS[kindOf(node)].passes(node) === approval);
  };
  for (let size = 0; size !== reached.size;) {
    size = reached.size;
    const open = ways.filter((way) => way.from.every((node) => leaves(node, way)));
    for (const node of open.flatMap(({ to }) => to)) reached.add(node);
  }
  return reached;
}

const nameOf = ({ policy }: ApprovalNode): string => policy.users?.[0] ?? '';

test('an approval gates the nodes that are reachable only through it', () => {
  const property = fc.property(aGraph, (graph) => {
    const holds = approvalGates(compileGraph(toDefinition(graph), CATALOG));
    const passed = IDS.flatMap((id) => KINDS[graph.kinds[id] ?? 'works'].passes(id) ?? []);
    const reached = new Map([...new Set(passed)].map((name) => [name, reachedWithout(name, graph)]));
    for (const id of IDS) {
      const holding = [...reached].flatMap(([name, nodes]) => (nodes.has(id) ? [] : [name]));
      expect([id, holds.before([id]).map(nameOf).sort()]).toEqual([id, holding.sort()]);
    }
    const all = IDS.flatMap((id) => holds.before([id]));
    expect(new Set(holds.before(IDS))).toEqual(new Set(all));
  });
  fc.assert(property, { numRuns: 200 });
});

describe('the analysis of a graph', () => {
  const ids = Array.from({ length: 2000 }, (_, index) => `n${index}`);
  const rest = Object.fromEntries(ids.map((id) => [id, works]));
  const start = { from: '__start__', to: 'ask' };
  const priceOf = (definition: Partial<GraphDefinition>): number => {
    const graph = compileGraph(aDefinition(definition), aCatalog());
    const before = unitsSpent();
    approvalGates(graph);
    return unitsSpent() - before;
  };

  test('the analysis of a graph costs about as much as reading its names if joins lead from many nodes to many', () => {
    const join = { from: ids, to: ids };
    const edges = [start, { from: 'ask', to: ids }, join, join, join];
    expect(priceOf({ nodes: { ask: asks('a'), ...rest }, edges })).toBeLessThan(20 * 7 * ids.length);
  });

  test('the analysis of a graph costs linearly more for a larger graph, even with many approvals that gate each other', () => {
    const dense = (size: number): number => {
      const some = ids.slice(0, size);
      const nodes = Object.fromEntries(some.map((id, index) => [id, index % 2 === 0 ? asks(id) : works]));
      const edges = some.map((from, index) => ({ from, to: some.slice(Math.max(0, index - 20), index + 20) }));
      return priceOf({ nodes, edges: [{ from: '__start__', to: some.at(-1) ?? '' }, ...edges] });
    };
    expect(dense(1200) / dense(100)).toBeLessThan(15);
  });

  test('the analysis of a graph costs the same with and without a memoized result', () => {
    const nodes = { ask: asks('a'), sub: { type: 'subgraph', graph: 'shared@1' } } as const;
    const graph = compileGraph(aDefinition({ nodes, edges: [start, { from: 'ask', to: 'sub' }] }), CATALOG);
    const [first, second] = [1, 2].map(() => {
      const before = unitsSpent();
      approvalGates(graph);
      return unitsSpent() - before;
    });
    expect(second).toBe(first);
    expect(first).toBeGreaterThan(0);
  });

  test('the analysis of a graph that is inside several others is charged once', () => {
    const levels = Array.from({ length: 30 }, (_, level) => `l${level}@1`);
    const twice = (graph: string) => ({ a: { type: 'subgraph', graph }, b: { type: 'subgraph', graph } }) as const;
    const edges = [{ from: '__start__', to: ['a', 'b'] }];
    const graphs = levels.map((name, level) => {
      const inner = levels[level + 1];
      return [
        name,
        aDefinition(
          inner === undefined ? { nodes: { ask: asks('a') }, edges: [start] } : { nodes: twice(inner), edges },
        ),
      ];
    });
    const catalog = { ...aCatalog(), graphs: Object.fromEntries(graphs) };
    const root = compileGraph(aDefinition({ nodes: twice('l0@1'), edges }), catalog);
    const before = unitsSpent();
    expect(approvalGates(root).always.map(nameOf)).toEqual(['a']);
    expect(unitsSpent() - before).toBeLessThan(200 * levels.length);
  });

  test('the analysis of a graph that is too large lets all approvals gate everything', () => {
    const steps = ids.slice(1).map((id, index) => ({ from: [ids[index] ?? '', 'x'], to: id }));
    const edges = [{ from: '__start__', to: ['n0', 'x', 'ask'] }, ...steps.toReversed(), { from: ids, to: 'x' }];
    const graph = compileGraph(aDefinition({ nodes: { ...rest, x: works, ask: asks('a') }, edges }), aCatalog());
    const before = unitsSpent();
    const holds = approvalGates(graph);
    expect(unitsSpent() - before).toBeLessThan(5_100_000);
    expect([holds.before(['n1']), holds.always, holds.writing(['log'])].map((held) => held.map(nameOf))).toEqual([
      ['a'],
      ['a'],
      ['a'],
    ]);
    expect([holds.before([]), holds.writing([])]).toEqual([[], []]);
  });
});
