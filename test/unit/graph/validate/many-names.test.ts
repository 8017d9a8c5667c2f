import { expect, test } from 'vitest';
import { hasErrors } from '../../../../src/graph/definition/issue.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog } from '../../../support/builders/builders.ts';

const names = (count: number, prefix = 'n'): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const all = (keys: readonly string[], value: Json): Json => Object.fromEntries(keys.map((key) => [key, value]));
const set = { type: 'set' };
const nodes = all(names(2_000), set);
const start = { from: '__start__', to: names(2_000) };
const nested = (input: Json): Json => ({
  type: 'subgraph',
  graph: { ...base, channels: all(names(20_000), {}) },
  input,
});
const base = { name: 'g', nodes: { a: set }, edges: [{ from: '__start__', to: 'a' }] };

/* Each takes seconds to hours, if one of its rules looks at pairs of names. */
test.each<[string, Json]>([
  ['unknown targets beside known nodes', { ...base, nodes, edges: [start, { from: 'n0', to: names(80_000, 'm') }] }],
  ['breakpoints', { ...base, nodes, edges: [start], interruptBefore: names(80_000, 'm') }],
  ['sources of a join', { ...base, edges: [...base.edges, { from: names(100_000), to: 'a' }] }],
  ['sources and targets', { ...base, edges: [...base.edges, { from: names(40_000), to: names(40_000, 'm') }] }],
  ['edges of one source', { ...base, edges: [...base.edges, ...names(25_000).map((to) => ({ from: 'a', to }))] }],
  [
    'required inputs',
    { ...base, channels: all(names(20_000), {}), input: names(20_000), required: names(20_000, 'm') },
  ],
  ['channels that a node writes', { ...base, nodes: { a: { ...set, write: all(names(30_000), 1) } } }],
  ['inputs of a graph inside', { ...base, nodes: { a: nested(all(names(20_000, 'm'), 1)) } }],
  ['joins', { ...base, nodes, edges: [start, ...names(25).map((to) => ({ from: names(2_000).slice(25), to }))] }],
])('%s cost time that grows with their number', (_, definition) => {
  const began = process.cpuUsage();
  const issues = validateGraph(definition, aCatalog());
  expect(process.cpuUsage(began).user).toBeLessThan(3_000_000);
  expect(issues.length).toBeLessThanOrEqual(1_000);
});

test('2,000 unknown names among 2,000 known ones cost less than 100 ms', () => {
  const definition = { ...base, nodes, edges: [start, { from: 'n0', to: names(2_000, 'm') }] };
  const spent = names(5).map(() => {
    const began = process.cpuUsage();
    validateGraph(definition, aCatalog());
    return process.cpuUsage(began).user;
  });
  // Collecting garbage counts, too, so the least is that of the rules.
  expect(Math.min(...spent)).toBeLessThan(100_000);
});

test('two names of 200,000 characters are not compared', () => {
  const [known, wrong] = ['a', 'b'].map((letter) => letter.repeat(200_000));
  const definition: Json = {
    ...base,
    nodes: { [known ?? '']: set },
    edges: [{ from: '__start__', to: [known ?? '', wrong ?? ''] }],
  };
  const began = process.cpuUsage();
  const issues = validateGraph(definition, aCatalog());
  expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
  expect(issues.map(({ code }) => code)).toContain('UNKNOWN_NODE');
});

test('errors are listed before warnings, so none of them is lost', () => {
  const definition = { ...base, channels: all(names(5_000), {}), nodes: { ...base.nodes, alone: set } };
  const issues = validateGraph(definition, aCatalog());
  expect(hasErrors(issues)).toBe(true);
  expect(issues.at(-1)).toMatchObject({ path: '', severity: 'warning', message: '4002 more issues are not listed' });
});

test('a name of a megabyte is not repeated', () => {
  const long = 'n'.repeat(900_000);
  const issues = validateGraph(
    { ...base, nodes: { a: { ...set, [long]: 1 } }, [long.slice(0, 100_000)]: 1 },
    aCatalog(),
  );
  expect(JSON.stringify(issues).length).toBeLessThan(10_000);
});
