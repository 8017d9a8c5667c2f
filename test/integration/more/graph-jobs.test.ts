import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { openGraphJobs } from '../../../src/api/graph-jobs/open-graph-jobs.ts';
import type { GraphJobs } from '../../../src/api/graph-jobs/graph-jobs.ts';
import type { ParametersOf } from '../../../src/api/graph-jobs/jobs.ts';
import { limitsOfRun } from '../../../src/graph/run/limits.ts';
import { aCatalog, aDefinition } from '../../support/builders/builders.ts';

let opened: GraphJobs | null = null;
afterEach(async () => await opened?.close());

type Options = NonNullable<Parameters<typeof openGraphJobs>[1]>;

/** Opens threads that can load TypeScript, which threads of a test can't by default. */
async function open(options: Options = {}): Promise<GraphJobs> {
  opened = openGraphJobs(aCatalog(), options);
  return opened;
}

const small: ParametersOf<'validate'> = [{ name: 'small', nodes: { a: { type: 'set' } }, edges: [] }, {}];

/** A definition that takes long to check: each node has edges to the next ones. */
function dense(): ParametersOf<'validate'> {
  const ids = Array.from({ length: 900 }, (_, at) => `n${at}`);
  const edges = ids.flatMap((from, at) => ids.slice(at + 1, at + 7).map((to) => ({ from, to })));
  const nodes = Object.fromEntries(ids.map((id) => [id, { type: 'set' }]));
  return [{ name: 'dense', nodes, edges: [{ from: '__start__', to: 'n0' }, ...edges] }, {}];
}

test('graph jobs in threads return the same issues as a check without threads', async () => {
  const graphJobs = await open();
  await expect(graphJobs.do('validate', 'acme', ...small)).resolves.toContainEqual(
    expect.objectContaining({ severity: 'error' }),
  );
  const definition = aDefinition({ channels: { n: { schema: { type: 'number' } } } });
  const graph = { definition, catalog: aCatalog() };
  await expect(graphJobs.do('checkInput', 'acme', graph, { n: 'one' })).resolves.toEqual({
    missing: [],
    issues: [expect.objectContaining({ path: '/n' })],
  });
});

/** Opens threads whose start takes longer than the time limit of a job. */
async function openSlowly(limitMs: number): Promise<GraphJobs> {
  const began = performance.now();
  const graphJobs = await open({ limitMs });
  await graphJobs.ready();
  if (performance.now() - began > limitMs) return graphJobs;
  await graphJobs.close();
  return await openSlowly(limitMs / 2);
}

test('the time limit of a graph job begins when its thread is ready', async () => {
  const graphJobs = await openSlowly(1_000);
  await expect(graphJobs.do('validate', 'acme', null, {})).resolves.not.toEqual([]);
});

test('the test of a graph is executed in a thread', async () => {
  const graphJobs = await open();
  const graph = { definition: aDefinition(), catalog: aCatalog() };
  const identity = {
    id: 'test',
    tenantId: 'acme',
    threadId: null,
    graph: { name: 'test', version: null, hash: 'test' },
    createdBy: { sub: 'uma', roles: ['user'] },
    limits: limitsOfRun(graph, {}).limits,
  };
  const nothing = { input: {}, outputs: {}, decisions: [], events: [], expect: { path: ['b'] } };
  await expect(graphJobs.do('test', 'acme', graph, identity, nothing, 0)).resolves.toMatchObject({
    status: 'completed',
    path: ['a'],
    state: { log: ['a'] },
    mismatch: { kind: 'path', expected: 'b', actual: 'a' },
  });
});

/** A process that executes the job itself has fewer event loop turns meanwhile. */
const MANY_TURNS = 100;

test('the event loop stays free while a large definition is checked in a thread', async () => {
  const graphJobs = await open();
  await graphJobs.do('validate', 'acme', ...small);
  const checked = graphJobs.do('validate', 'acme', ...dense()).then(() => 'checked');
  let turns = 0;
  while ((await Promise.race([checked, nextTurn('meanwhile')])) === 'meanwhile') turns += 1;
  expect(turns).toBeGreaterThan(MANY_TURNS);
});

test('a tenant with many large definitions leaves one graph thread to other tenants', async () => {
  const graphJobs = await open();
  const ended: string[] = [];
  const check = async (tenant: string, job: ParametersOf<'validate'>): Promise<void> => {
    await graphJobs.do('validate', tenant, ...job);
    ended.push(tenant);
  };
  const ofAcme = Array.from({ length: 4 }, async () => await check('acme', dense()));
  await check('other', small);
  expect(ended.filter((tenant) => tenant === 'acme').length).toBeLessThan(4);
  await Promise.all(ofAcme);
});

describe('a job that exceeds a limit is refused, and the next one succeeds', () => {
  test('a graph job that exceeds its time limit is refused, and the next one succeeds', async () => {
    const graphJobs = await open({ limitMs: 5 });
    await expect(graphJobs.do('validate', 'acme', ...dense())).rejects.toMatchObject({
      code: 'TOO_EXPENSIVE',
      status: 422,
    });
  });

  test('a graph job that exceeds its memory limit is refused, and the next one succeeds', async () => {
    const graphJobs = await open({ heapMib: 64 });
    const text = 'x'.repeat(1_000);
    const list = Array.from({ length: 400_000 }, (_, at) => `${at}${text}`);
    const definition = aDefinition({ channels: { list: {} } });
    const graph = { definition, catalog: aCatalog() };
    await expect(graphJobs.do('checkInput', 'acme', graph, { list })).rejects.toMatchObject({
      code: 'TOO_EXPENSIVE',
    });
    await expect(graphJobs.do('validate', 'acme', ...small)).resolves.toHaveLength(1);
  });
});

test('at most a hundred graph jobs of a tenant are queued', async () => {
  const graphJobs = await open();
  const results = await Promise.allSettled(
    Array.from({ length: 300 }, async () => graphJobs.do('validate', 'acme', ...small)),
  );
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ reason: { code: 'TOO_MANY_REQUESTS', status: 429 } });
  await expect(graphJobs.do('validate', 'other', ...small)).resolves.toBeDefined();
});
