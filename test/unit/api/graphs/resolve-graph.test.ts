import { expect, test } from 'vitest';
import { isCanary, linkGraphs } from '../../../../src/api/graphs/resolve-graph.ts';
import type { JsonObject } from '../../../../src/graph/values/index.ts';
import type { PublishedGraph } from '../../../../src/store/graphs.ts';

const alias = (share: number) => ({ name: 'g', alias: 'live', canary: { version: 2, share } });
const ids = Array.from({ length: 2_000 }, (_, index) => `run-${index}`);
const partOf = (share: number): number => ids.filter((id) => isCanary(alias(share), id)).length / ids.length;

test('a canary version gets its share of runs, none at 0 and all at 1', () => {
  expect([partOf(0), partOf(1)]).toEqual([0, 1]);
  expect(partOf(0.2)).toBeCloseTo(0.2, 1);
});

test('the same run always gets the same graph version, and keeps a canary whose share grows', () => {
  const chosen = ids.filter((id) => isCanary(alias(0.2), id));
  expect(ids.filter((id) => isCanary(alias(0.2), id))).toEqual(chosen);
  expect(chosen.every((id) => isCanary(alias(0.4), id))).toBe(true);
});

/** A graph with one node for each reference, and padding of a number of characters. */
function aGraph(name: string, references: readonly string[], padding = 0): JsonObject {
  const nodes = Object.fromEntries(references.map((graph, at) => [`n${at}`, { type: 'subgraph', graph }]));
  return { name, description: 'd'.repeat(padding), channels: {}, nodes, edges: [] };
}

/** A tenant with these graphs, and the names that were looked up. */
function aTenant(definitions: readonly JsonObject[]) {
  const reads: string[] = [];
  const byName = new Map(definitions.map((definition) => [definition['name'], definition]));
  const find = async (_tenantId: string, name: string, version = 1): Promise<PublishedGraph | null> => {
    reads.push(`${name}@${version}`);
    const definition = byName.get(name);
    if (!definition) return null;
    const hash = name;
    return {
      name,
      version,
      hash,
      createdAt: '',
      createdBy: 'ann',
      unpublished: null,
      current: true,
      definition,
      warnings: [],
      pins: {},
    };
  };
  return { reads, tenant: { tenantId: 'demo', store: { graphs: { find } } } };
}

const named = (count: number): string[] => Array.from({ length: count }, (_, at) => `g${at}`);

test('a graph is read from the store once, however many others refer to it', async () => {
  const names = named(30);
  const { reads, tenant } = aTenant(
    names.map((name, at) =>
      aGraph(
        name,
        names.slice(0, at).map((one) => `${one}@1`),
      ),
    ),
  );
  const top = aGraph('top', [...names.map((name) => `${name}@1`), 'none@1', 'none@1']);
  const { graphs } = await linkGraphs(top, tenant);
  expect(reads.toSorted()).toEqual([...names.map((name) => `${name}@1`), 'none@1'].toSorted());
  expect(Object.keys(graphs)).toHaveLength(30);
});

test('a graph may contain itself as a subgraph', async () => {
  const { reads, tenant } = aTenant([aGraph('g0', ['g1@1']), aGraph('g1', ['g0@1'])]);
  expect(Object.keys((await linkGraphs(aGraph('top', ['g0@1']), tenant)).graphs).toSorted()).toEqual(['g0@1', 'g1@1']);
  expect(reads).toEqual(['g0@1', 'g1@1']);
});

test('a graph version that is referenced by number and by alias is one graph', async () => {
  const { tenant } = aTenant(named(200).map((name) => aGraph(name, [])));
  const both = named(200).flatMap((name) => [`${name}@1`, name]);
  expect(await linkGraphs(aGraph('top', both), tenant)).toMatchObject({ excess: null });
  expect(await linkGraphs(aGraph('top', both.toReversed()), tenant)).toMatchObject({ excess: null });
});

const EXCESS = { code: 'GRAPH_TOO_LARGE', severity: 'error', path: '' };

test('a definition may refer to 200 graphs, and to missing names', async () => {
  const { tenant } = aTenant(named(201).map((name) => aGraph(name, [])));
  expect(await linkGraphs(aGraph('top', named(200)), tenant)).toMatchObject({ excess: null });
  const message = expect.stringContaining('200');
  expect(await linkGraphs(aGraph('top', named(201)), tenant)).toMatchObject({ excess: { ...EXCESS, message } });
  expect(await linkGraphs(aGraph('top', [...named(200), 'none']), tenant)).toMatchObject({ excess: null });
});

test('at most 2,000 names of referenced graphs are looked up, whether such graphs exist or not', async () => {
  const { reads, tenant } = aTenant([]);
  expect(await linkGraphs(aGraph('top', named(2_000)), tenant)).toMatchObject({ excess: null });
  const before = reads.length;
  expect(await linkGraphs(aGraph('top', named(9_000)), tenant)).toMatchObject({ excess: EXCESS });
  expect([before, reads.length - before]).toEqual([2_000, 2_001]);
});

test('the graphs to which a definition refers may have 8 MiB together', async () => {
  const definitions = named(20).map((name) => aGraph(name, [], 1_000_000));
  const { reads, tenant } = aTenant(definitions);
  await linkGraphs(aGraph('top', named(8)), tenant);
  const before = reads.length;
  expect(await linkGraphs(aGraph('top', named(20)), tenant)).toMatchObject({ excess: EXCESS });
  expect(reads.length - before).toBe(9);
});
