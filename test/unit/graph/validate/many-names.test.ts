import { expect, test } from 'vitest';
import { hasErrors } from '../../../../src/graph/definition/definition.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog } from '../../../support/builders/builders.ts';
import { MEASURING, growthOf } from '../../../support/readers/growth.ts';

const names = (count: number, prefix = 'n'): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const all = (keys: readonly string[], value: Json): Json => Object.fromEntries(keys.map((key) => [key, value]));
const set = { type: 'set' };
const base = { name: 'g', nodes: { a: set }, edges: [{ from: '__start__', to: 'a' }] };

/** A graph with as many nodes as a graph of this size may have; the largest has 2,000. */
function large(size: number) {
  const ids = names((size * 5) / 12);
  return { ids, graph: { ...base, nodes: all(ids, set), edges: [{ from: '__start__', to: ids }] } };
}

/* Work of 400 to 4,800 units; the largest definitions are about as large as allowed. */
test.each<[string, (size: number) => Json]>([
  [
    'unknown targets beside known nodes',
    (size) => {
      const { graph } = large(size);
      return { ...graph, edges: [...graph.edges, { from: 'n0', to: names(16 * size, 'm') }] };
    },
  ],
  ['breakpoints', (size) => ({ ...large(size).graph, interruptBefore: names(16 * size, 'm') })],
  ['sources of a join', (size) => ({ ...base, edges: [...base.edges, { from: names(20 * size), to: 'a' }] })],
  [
    'sources and targets',
    (size) => ({ ...base, edges: [...base.edges, { from: names(8 * size), to: names(8 * size, 'm') }] }),
  ],
  [
    'edges of one source',
    (size) => ({ ...base, edges: [...base.edges, ...names(5 * size).map((to) => ({ from: 'a', to }))] }),
  ],
  [
    'required inputs',
    (size) => ({
      ...base,
      channels: all(names(4 * size), {}),
      input: names(4 * size),
      required: names(4 * size, 'm'),
    }),
  ],
  ['channels that a node writes', (size) => ({ ...base, nodes: { a: { ...set, write: all(names(6 * size), 1) } } })],
  [
    'inputs of a graph inside',
    (size) => {
      const graph = { ...base, channels: all(names(4 * size), {}) };
      return { ...base, nodes: { a: { type: 'subgraph', graph, input: all(names(4 * size, 'm'), 1) } } };
    },
  ],
  [
    'joins',
    (size) => {
      const { ids, graph } = large(size);
      const joins = ids.slice(0, 25).map((to) => ({ from: ids.slice(25), to }));
      return { ...graph, edges: [...graph.edges, ...joins] };
    },
  ],
])('the validation of many %s takes time linear in their number', MEASURING, (_, definitionOf) => {
  const prepare = (size: number) => {
    const definition = definitionOf(size);
    return () => validateGraph(definition, aCatalog());
  };
  expect(growthOf(prepare)).toBeLessThan(1.5);
  const issues = prepare(4_800)();
  expect(issues.length).toBeLessThanOrEqual(1_000);
  expect(issues.map(({ code }) => code)).not.toContain('GRAPH_TOO_LARGE');
});

test('unknown names in a definition are compared with only a few known ones', MEASURING, () => {
  const growth = growthOf((size) => {
    const { ids, graph } = large(size);
    const definition = { ...graph, edges: [...graph.edges, { from: 'n0', to: names(ids.length, 'm') }] };
    return () => validateGraph(definition, aCatalog());
  }, 1.2);
  expect(growth).toBeLessThan(1.2);
});

test('two long names in a definition are not compared', MEASURING, () => {
  const prepare = (size: number) => {
    const [known = '', wrong = ''] = ['a', 'b'].map((letter) => letter.repeat(10 * size));
    const definition = { ...base, nodes: { [known]: set }, edges: [{ from: '__start__', to: [known, wrong] }] };
    // Repeated, so that the time is measurable.
    return () => names(50).map(() => validateGraph(definition, aCatalog()));
  };
  expect(growthOf(prepare)).toBeLessThan(1.5);
  for (const issues of prepare(20_000)()) expect(issues.map(({ code }) => code)).toContain('UNKNOWN_NODE');
});

test('errors of a definition are listed before warnings, so none of them is lost', () => {
  const definition = { ...base, channels: all(names(5_000), {}), nodes: { ...base.nodes, alone: set } };
  const issues = validateGraph(definition, aCatalog());
  expect(hasErrors(issues)).toBe(true);
  expect(issues.at(-1)).toMatchObject({ path: '', severity: 'warning', message: '4002 more issues are not listed' });
});

test('a name of a megabyte is not repeated in validation messages', () => {
  const long = 'n'.repeat(900_000);
  const issues = validateGraph(
    { ...base, nodes: { a: { ...set, [long]: 1 } }, [long.slice(0, 100_000)]: 1 },
    aCatalog(),
  );
  expect(JSON.stringify(issues).length).toBeLessThan(10_000);
});
