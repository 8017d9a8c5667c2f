import { describe, expect, test } from 'vitest';
import type { ForEachEdge, GraphDefinition } from '../../src/graph/definition/definition.ts';
import { toMermaid } from '../../src/graph/diagram/write-diagram.ts';
import { findRedaction } from '../../src/graph/redaction/find-redaction.ts';
import { validateGraph } from '../../src/graph/validate/validate-graph.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import { END, START, StateGraph } from '../../src/index.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { logOf, startRun } from '../support/builders/runs.ts';
import { breakable, works } from '../support/doubles/breakable.ts';

/** Logs its node, and the item and the index of its element. */
const logs = (node: string) => ({ type: 'set', write: { log: `${node} {{ item.kind }} {{ index }}` } }) as const;

const ITEMS = [{ kind: 'z' }, { kind: 'a' }, { kind: 'none' }, { kind: 'z' }, { kind: 'b' }];

/** Sends each element to the node of its kind: `z` and others to `zoo`, `a` to `ant`. */
function routed(over: Partial<ForEachEdge> = {}, items: Json = ITEMS): Partial<GraphDefinition> {
  const paths = { z: 'zoo', a: 'ant', none: '__end__' };
  return {
    channels: { log: { reducer: 'append' }, items: { default: items } },
    nodes: {
      ant: logs('ant'),
      zoo: logs('zoo'),
      bee: { type: 'set', write: { log: 'bee' } },
      end: { type: 'set', write: { log: 'end' } },
    },
    edges: [
      { from: '__start__', forEach: 'state.items', route: 'item.kind', paths, default: 'zoo', ...over },
      { from: '__start__', to: 'bee' },
      { from: 'ant', to: 'end' },
      { from: 'zoo', to: 'end' },
    ],
  };
}

describe('a forEach whose route chooses the node of each element', () => {
  test('each element runs the node that its route chooses, and the writes are in the order of the list', () => {
    const run = startRun(routed());
    expect(run.run.status).toBe('completed');
    expect(run.steps).toEqual([['zoo', 'ant', 'bee'], ['end']]);
    expect(logOf(run)).toEqual(['zoo z 0', 'ant a 1', 'zoo z 3', 'zoo b 4', 'bee', 'end']);
  });

  test.each<[string, Partial<ForEachEdge>, Json, Json]>([
    [
      'by its index',
      { route: 'index == 1 ? "a" : "z"' },
      [{ kind: 1 }, { kind: 2 }],
      ['zoo 1 0', 'ant 2 1', 'bee', 'end'],
    ],
    [
      'to several nodes at once',
      { paths: { both: ['zoo', 'ant'] } },
      [{ kind: 'both' }],
      ['zoo both 0', 'ant both 0', 'bee', 'end'],
    ],
    ['by several values at once', { route: '["z", "a"]' }, [{ kind: 'k' }], ['zoo k 0', 'ant k 0', 'bee', 'end']],
    ['with all targets at one node', { paths: { z: 'zoo' } }, [{ kind: 'z' }], ['bee', 'zoo z 0', 'end']],
  ])('an element is sent %s', (_, over, items, log) => {
    expect(logOf(startRun(routed(over, items)))).toEqual(log);
  });

  test.each<[string, Json]>([
    ['the list is empty', []],
    ['all elements go to the end', [{ kind: 'none' }, { kind: 'none' }]],
  ])('the edges of its targets fire at once when %s', (_, items) => {
    expect(startRun(routed({}, items)).steps).toEqual([['bee', 'end']]);
  });

  test('maxConcurrency limits the elements of all targets together', () => {
    const nodes = { ant: works('{{ item.kind }}'), zoo: works('{{ item.kind }}') };
    const graph = {
      ...routed({ maxConcurrency: 2 }),
      nodes,
      edges: routed({ maxConcurrency: 2 }).edges?.slice(0, 1) ?? [],
    };
    const run = startRun(graph, { ...breakable().outside, next: () => null });
    expect(run.out.map(({ node, index }) => [node, index])).toEqual([
      ['zoo', 0],
      ['ant', 1],
    ]);
  });

  test('a value that paths lack fails the run at the source of the edge', () => {
    const paths = { z: 'zoo', a: 'ant', none: '__end__' };
    const edges = [
      { from: '__start__', to: 'bee' },
      { from: 'bee', forEach: 'state.items', route: 'item.kind', paths },
    ];
    const { run } = startRun({ ...routed(), edges });
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'INVALID_ROUTE', node: 'bee', message: 'Route `item.kind` gave "b"; its paths are z, a, none' },
    });
  });

  test('a retry and a fork keep the order of the elements', () => {
    const nodes = { ant: works('{{ item.kind }}'), zoo: works('{{ item.kind }}') };
    const [edge] = routed().edges ?? [];
    const { outside, broken, calls } = breakable('a');
    const run = startRun({ ...routed(), nodes, edges: edge ? [edge] : [] }, outside);
    expect(run.run).toMatchObject({ status: 'failed', error: { node: 'ant' } });
    broken.clear();
    const fork = run.fork(run.checkpoints[0]?.id ?? '');
    run.reopen('retry', { id: 'ant#1:1' });
    const log = ['z!', 'a!', 'z!', 'b!'];
    expect([logOf(run), 'code' in fork ? fork : logOf(fork)]).toEqual([log, log]);
    expect(calls.slice(0, 3)).toEqual(['zoo#0:1:0:0', 'ant#1:1:0:0', 'zoo#3:1:0:0']);
  });
});

describe('the definition of a forEach with a route', () => {
  const issuesOf = (edge: object): string[] =>
    validateGraph(
      toJson({ ...aDefinition(routed()), edges: [edge, ...(routed().edges ?? []).slice(1)] }),
      aCatalog(),
    ).map(({ code, path }) => `${code} ${path}`);
  const base = { from: '__start__', forEach: 'state.items' };
  const paths = { z: 'zoo', a: 'ant' };

  test.each<[string, object, string[]]>([
    ['a default', { ...base, route: 'item.kind', paths, default: 'zoo' }, []],
    ['no default', { ...base, route: 'item.kind', paths }, ['DEAD_END_BRANCH /edges/0']],
    [
      'no target',
      base,
      ['INVALID_FIELD /edges/0', ...['ant', 'end', 'zoo'].map((node) => `UNREACHABLE_NODE /nodes/${node}`)],
    ],
    [
      'both to and route',
      { ...base, to: 'zoo', route: 'item.kind', paths, default: 'ant' },
      ['INVALID_FIELD /edges/0/to'],
    ],
    [
      'no paths',
      { ...base, route: 'item.kind', default: 'zoo' },
      ['UNREACHABLE_NODE /nodes/ant', 'INVALID_FIELD /edges/0'],
    ],
    ['paths without route', { ...base, to: 'zoo', paths }, ['INVALID_FIELD /edges/0/paths']],
    ['a default without route', { ...base, to: 'zoo', default: 'ant' }, ['INVALID_FIELD /edges/0/default']],
    [
      'an unknown node',
      { ...base, route: 'item.kind', paths: { ...paths, b: 'no' }, default: 'zoo' },
      ['UNKNOWN_NODE /edges/0/paths/b'],
    ],
    ['an invalid route', { ...base, route: 'state.nope', paths, default: 'zoo' }, ['UNKNOWN_CHANNEL /edges/0/route']],
  ])('a forEach with %s has the issues %#', (_, edge, issues) => {
    expect(issuesOf(edge).toSorted()).toEqual(issues.toSorted());
  });

  test('a join of targets that a route chooses may starve', () => {
    const edges = [
      { ...base, route: 'item.kind', paths, default: 'zoo' },
      { from: '__start__', to: 'bee' },
      { from: ['ant', 'zoo'], to: 'end' },
    ];
    const issues = validateGraph(toJson({ ...aDefinition(routed()), edges }), aCatalog());
    expect(issues.map(({ code }) => code)).toEqual(['JOIN_MAY_STARVE', 'JOIN_MAY_STARVE']);
  });

  test('the diagram of a graph draws each path of the route', () => {
    const lines = toMermaid(aDefinition(routed()))
      .split('\n')
      .filter((line) => line.includes('for each'));
    expect(lines).toHaveLength(4);
    expect(lines.join(' ')).toContain('z#58; for each of state.items');
  });

  test('the items of a redacted list are redacted in each of its targets', () => {
    const graph = routed();
    const redaction = findRedaction({
      definition: {
        ...aDefinition(graph),
        channels: { ...graph.channels, items: { redact: true }, seen: {} },
        nodes: { ...graph.nodes, ant: { type: 'set', write: { seen: '{{ item }}' } } },
      },
      catalog: {},
    });
    expect(redaction.channels).toContain('log');
    expect(redaction.channels).toContain('seen');
  });

  test('the builder makes a forEach with a route', () => {
    const definition = new StateGraph({ name: 'routes', channels: { items: {} } })
      .addNode('ant', { type: 'set', write: {} })
      .addNode('zoo', { type: 'set', write: {} })
      .addForEach(
        START,
        'state.items',
        { route: 'item.kind', paths: { a: 'ant', none: END }, default: 'zoo' },
        { maxConcurrency: 2 },
      )
      .compile();
    expect(definition.edges).toEqual([
      {
        from: START,
        forEach: 'state.items',
        route: 'item.kind',
        paths: { a: 'ant', none: END },
        default: 'zoo',
        maxConcurrency: 2,
      },
    ]);
  });
});
