import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishFolder } from '../../../../src/api/graphs/publish-graph.ts';
import { parseConfig } from '../../../../src/config/load-config.ts';
import { toCatalog } from '../../../../src/config/to-catalog.ts';
import { SetupError } from '../../../../src/process/setup-error.ts';
import { DatabaseAwayError } from '../../../../src/store/database/database-away.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { graphJobsHere } from '../../../support/doubles/graph-jobs-here.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const publisher = { store, graphJobs: graphJobsHere(toCatalog(parseConfig('the test', {}))) };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-graphs-'));
  await writeFile(join(folder, 'first.json'), JSON.stringify(aDefinition({ name: 'first' })));
  await writeFile(join(folder, 'second.mjs'), `export default ${JSON.stringify(aDefinition({ name: 'second' }))};`);
  await writeFile(join(folder, 'notes.txt'), 'no graph');
});
afterAll(async () => await rm(folder, { recursive: true }));

const versionsOf = async (tenantId: string) => {
  const { items } = await store.graphs.list(tenantId, { limit: 10 });
  return items.map(({ name, version, createdBy }) => [name, version, createdBy]);
};

test('a folder of graphs is published once for each of its tenants', async () => {
  for (let start = 0; start < 2; start += 1) await publishFolder({ folder, tenants: ['acme', 'beta'] }, publisher);
  const both = [
    ['first', 1, 'configuration'],
    ['second', 1, 'configuration'],
  ];
  expect([await versionsOf('acme'), await versionsOf('beta'), await versionsOf('demo')]).toEqual([both, both, []]);
});

test('an invalid definition in a published folder is reported with its issues', async () => {
  const bad = join(folder, 'third.json');
  await writeFile(bad, JSON.stringify({ ...aDefinition({ name: 'third' }), nodes: { a: { type: 'unknown' } } }));
  const publishing = publishFolder({ folder, tenants: ['acme'] }, publisher);
  await expect(publishing).rejects.toThrow(SetupError);
  await expect(publishing).rejects.toThrow(`${bad} can't be published`);
  await expect(publishing).rejects.toThrow('/nodes/a/type');
  await rm(bad);
});

test('a graph of a folder may refer to a graph whose file comes later', async () => {
  const outer = { ...aDefinition({ name: 'a-outer' }), nodes: { a: { type: 'subgraph', graph: 'z-inner' } } };
  await writeFile(join(folder, 'a-outer.json'), JSON.stringify(outer));
  await writeFile(join(folder, 'z-inner.json'), JSON.stringify(aDefinition({ name: 'z-inner' })));
  await publishFolder({ folder, tenants: ['gamma'] }, publisher);
  expect((await versionsOf('gamma')).map(([name]) => name)).toEqual(expect.arrayContaining(['a-outer', 'z-inner']));
  await Promise.all([rm(join(folder, 'a-outer.json')), rm(join(folder, 'z-inner.json'))]);
});

test('an unavailable database is not reported as an issue of a definition', async () => {
  const away = new DatabaseAwayError('The database does not answer');
  const graphs = { ...store.graphs, publish: async () => await Promise.reject(away) };
  const publishing = publishFolder({ folder, tenants: ['acme'] }, { ...publisher, store: { ...store, graphs } });
  await expect(publishing).rejects.toBe(away);
});

test.each([
  ['./graphs', { folder: './graphs', tenants: [] }],
  [
    { folder: './graphs', tenants: ['acme'] },
    { folder: './graphs', tenants: ['acme'] },
  ],
])('a configuration accepts %j for the folder of graphs', (graphs, read) => {
  expect(parseConfig('the test', { graphs }).graphs).toEqual(read);
});

test.each([[[]], [['a/b']]])('a configuration refuses the tenants %j for the folder of graphs', (tenants) => {
  expect(() => parseConfig('the test', { graphs: { folder: '.', tenants } })).toThrow('/graphs');
});
