import { expect, test } from 'vitest';
import { linkGraphs } from '../../../../src/api/graphs/link-graphs.ts';
import type { JsonObject } from '../../../../src/graph/values/index.ts';
import type { PublishedGraph } from '../../../../src/store/graphs.ts';

/** A graph with a node for each reference, and so many characters besides. */
function aGraph(name: string, references: readonly string[], padding = 0): JsonObject {
  const nodes = Object.fromEntries(references.map((graph, at) => [`n${at}`, { type: 'subgraph', graph }]));
  return { name, description: 'd'.repeat(padding), channels: {}, nodes, edges: [] };
}

/** A tenant with these graphs, and the names that were looked for. */
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
      definition,
      warnings: [],
      pins: {},
    };
  };
  return { reads, tenant: { tenantId: 'demo', store: { graphs: { find } } } };
}

const named = (count: number): string[] => Array.from({ length: count }, (_, at) => `g${at}`);

test('a graph is read once, however many others refer to it', async () => {
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

test('a graph may contain itself', async () => {
  const { reads, tenant } = aTenant([aGraph('g0', ['g1@1']), aGraph('g1', ['g0@1'])]);
  expect(Object.keys((await linkGraphs(aGraph('top', ['g0@1']), tenant)).graphs).toSorted()).toEqual(['g0@1', 'g1@1']);
  expect(reads).toEqual(['g0@1', 'g1@1']);
});

test('200 graphs may be referred to, whether they are there or not', async () => {
  const { reads, tenant } = aTenant([]);
  await linkGraphs(aGraph('top', named(200)), tenant);
  expect(reads).toHaveLength(200);
  const refused = linkGraphs(aGraph('top', named(201)), tenant);
  await expect(refused).rejects.toMatchObject({ code: 'GRAPH_TOO_LARGE', message: expect.stringContaining('200') });
});

test('the graphs that one refers to have 8 MiB together', async () => {
  const definitions = named(20).map((name) => aGraph(name, [], 1_000_000));
  const { reads, tenant } = aTenant(definitions);
  await linkGraphs(aGraph('top', named(8)), tenant);
  const before = reads.length;
  const refused = linkGraphs(aGraph('top', named(20)), tenant);
  await expect(refused).rejects.toMatchObject({ code: 'GRAPH_TOO_LARGE' });
  expect(reads.length - before).toBe(9);
});
