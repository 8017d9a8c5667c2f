import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { readAll, startRun } from '../../support/readers/api-runs.ts';
import { aJob, checkpointWhere, checkpointsOf, hasNextNodes } from '../../support/readers/api-states.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { aProblem } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import { useWorkingStack } from '../../support/servers/working-stack.ts';

const { stack, service, user, until } = useWorkingStack(startTestStack);

const three = aDefinition({ nodes: { a: aJob('a'), b: aJob('b'), c: aJob('c') } });
const asking = aDefinition({
  nodes: { a: aJob('a'), ask: { type: 'approval', title: 'Go on?' }, b: aJob('b') },
});
const start = async (graph: GraphDefinition): Promise<string> => textAt(await startRun(user(), graph), '/id');

/** Forks a run before the given nodes, and waits until the fork rests. */
async function forkBefore(id: string, next: readonly string[], over: object = {}): Promise<string> {
  const checkpoint = await checkpointWhere(user(), id, hasNextNodes(...next));
  const { body } = await user().post(`/api/runs/${id}/fork`, { checkpoint, ...over });
  return textAt(await until(textAt(body, '/id'), 'completed', 'waiting', 'failed', 'paused'), '/id');
}

describe('a fork continues at its checkpoint', () => {
  test('a fork at a checkpoint before the elements of a forEach executes them again', async () => {
    const graph = aDefinition({
      channels: { log: { reducer: 'append' }, list: { default: ['1', '2', '3'] } },
      output: ['log'],
      nodes: { plan: aJob('plan'), each: aJob('{{ item }}'), last: aJob('last') },
      edges: [
        { from: '__start__', to: 'plan' },
        { from: 'plan', forEach: 'state.list', to: 'each', maxConcurrency: 1 },
        { from: 'each', to: 'last' },
      ],
    });
    const run = await until(await forkBefore(await start(graph), ['each']), 'completed');
    expect(at(run, '/output')).toEqual({ log: ['plan', '1', '2', '3', 'last'] });
    expect(service().done.filter((job) => job === '2')).toHaveLength(2);
  });

  test('a fork at a checkpoint before a join that one branch has reached waits for the other branch only', async () => {
    const graph = aDefinition({
      nodes: { a: aJob('a'), b: aJob('b'), b2: aJob('b2'), j: aJob('j') },
      edges: [
        { from: '__start__', to: ['a', 'b'] },
        { from: 'b', to: 'b2' },
        { from: ['a', 'b2'], to: 'j' },
      ],
    });
    const run = await until(await forkBefore(await start(graph), ['b2']), 'completed');
    expect(at(run, '/output')).toEqual({ log: ['a', 'b', 'b2', 'j'] });
    expect(service().done.filter((job) => job === 'a')).toHaveLength(1);
  });

  test('a fork at a checkpoint in a loop continues with the visit count so far', async () => {
    const graph = aDefinition({
      channels: { log: { reducer: 'append' } },
      nodes: { turn: aJob('turn {{ run.visit }}') },
      edges: [
        { from: '__start__', to: 'turn' },
        { from: 'turn', branches: [{ when: 'size(state.log) < 3', to: 'turn' }, { to: '__end__' }] },
      ],
    });
    const run = await until(await forkBefore(await start(graph), ['turn']), 'completed');
    expect(at(run, '/output')).toEqual({ log: ['turn 1', 'turn 2', 'turn 3'] });
    expect(service().calls).toHaveLength(4);
  });

  test('a fork at a checkpoint before a subgraph executes the subgraph again', async () => {
    const inside = { type: 'subgraph', graph: three, write: { log: '{{ result.log }}' } } as const;
    const graph = aDefinition({ nodes: { before: aJob('before'), inside, after: aJob('after') } });
    const run = await until(await forkBefore(await start(graph), ['inside']), 'completed');
    expect(at(run, '/output')).toEqual({ log: ['before', 'a', 'b', 'c', 'after'] });
    expect(service().calls).toHaveLength(9);
  });

  test('a fork at a checkpoint continues with the usage counted so far', async () => {
    const id = await start({ ...three, limits: { maxToolCalls: 4 } });
    const run = await until(await forkBefore(id, ['c']), 'completed');
    expect(run).toMatchObject({ usage: { toolCalls: 3 }, limits: { maxToolCalls: 4 } });
  });
});

describe('the checkpoints of a tree', () => {
  const idsOf = (items: readonly Json[]): string[] => items.map((item) => textAt(item, '/id'));

  /** Starts a run, a fork of it, a fork of that fork, and a second fork. */
  async function plant(): Promise<readonly [string, string, string, string]> {
    const root = await start(three);
    const fork = await forkBefore(root, ['b']);
    return [root, fork, await forkBefore(fork, ['c']), await forkBefore(root, ['c'])];
  }

  test.each([1, 2, 3, 50])(
    'the checkpoints of a run and its forks are listed in pages of %i without repeat or gap',
    async (limit) => {
      const runs = await plant();
      const own = await Promise.all(runs.map(async (id) => await checkpointsOf(user(), id)));
      for (const id of runs) {
        const tree = await readAll(user(), `/api/runs/${id}/checkpoints?tree=true`, limit);
        expect(idsOf(tree).toSorted()).toEqual(idsOf(own.flat()).toSorted());
        const times = tree.map((item) => textAt(item, '/createdAt'));
        expect(times).toEqual(times.toSorted().toReversed());
      }
    },
  );

  test('the checkpoints of a run and its forks are linked by their parents', async () => {
    const [root] = await plant();
    const tree = await readAll(user(), `/api/runs/${root}/checkpoints?tree=true`);
    const ids = new Set<unknown>(idsOf(tree));
    const roots = tree.filter((item) => !ids.has(at(item, '/parentId')));
    expect(roots).toMatchObject([{ runId: root, parentId: null, source: 'input' }]);
  });

  test('the checkpoints of a run and its forks hold the values of each run', async () => {
    const root = await start(three);
    const fork = await forkBefore(root, ['b'], { values: { log: 'x' } });
    const tree = await readAll(user(), `/api/runs/${root}/checkpoints?tree=true`);
    const last = (id: string) => tree.find((item) => at(item, '/runId') === id);
    expect(last(root)).toMatchObject({ values: { log: ['a', 'b', 'c'] } });
    expect(last(fork)).toMatchObject({ values: { log: ['a', 'x', 'b', 'c'] } });
  });

  test('the checkpoints of a run exclude those of its forks, unless the tree is requested', async () => {
    const [root] = await plant();
    for (const query of ['', '?tree=false']) {
      const items = await readAll(user(), `/api/runs/${root}/checkpoints${query}`);
      expect(new Set(items.map((item) => at(item, '/runId')))).toEqual(new Set([root]));
    }
  });
});

describe('the difference of two runs', () => {
  const diff = async (one: string, other: string): Promise<Json> =>
    (await user().get(`/api/runs/${one}/diff?with=${other}`)).body;

  test('the difference of a fork and its parent begins at the forked checkpoint', async () => {
    const parent = await start(asking);
    await stack().as('approver').post(`/api/runs/${parent}/approve`, { reason: 'fine' });
    await until(parent, 'completed');
    const fork = await forkBefore(parent, ['ask'], { values: { log: 'x' } });
    await stack().as('approver').post(`/api/runs/${fork}/reject`, { reason: 'not this time' });
    await until(fork, 'completed');
    const checkpoint = await checkpointWhere(user(), parent, hasNextNodes('ask'));
    const decision = { node: 'ask', by: 'ada' };
    expect(await diff(parent, fork)).toMatchObject({
      common: { runId: parent, checkpoint, step: 0 },
      left: {
        runId: parent,
        path: [['ask'], ['b']],
        decisions: [{ ...decision, decision: 'approve', reason: 'fine' }],
      },
      right: { runId: fork, path: [['ask'], ['b']], decisions: [{ ...decision, decision: 'reject' }] },
      state: [{ channel: 'log', left: ['a', 'b'], right: ['a', 'x', 'b'] }],
    });
  });

  test('the difference of two runs is mirrored when the two runs are swapped', async () => {
    const parent = await start(three);
    const fork = await forkBefore(parent, ['b'], { values: { log: 'x' } });
    const [there, back] = [await diff(parent, fork), await diff(fork, parent)];
    expect(at(back, '/common')).toEqual(at(there, '/common'));
    expect([at(back, '/left'), at(back, '/right')]).toEqual([at(there, '/right'), at(there, '/left')]);
  });

  test('the difference of two forks of one run begins at the checkpoint of the earlier fork', async () => {
    const root = await start(three);
    const early = await forkBefore(root, ['b'], { values: { log: 'early' } });
    const late = await forkBefore(root, ['c'], { values: { log: 'late' } });
    expect(await diff(early, late)).toMatchObject({
      common: { runId: root, checkpoint: await checkpointWhere(user(), root, hasNextNodes('b')), step: 0 },
      left: { runId: early, path: [['b'], ['c']] },
      right: { runId: late, path: [['b'], ['c']] },
      state: [{ channel: 'log', left: ['a', 'early', 'b', 'c'], right: ['a', 'b', 'late', 'c'] }],
    });
  });

  test('the difference of a fork of a fork and the first run begins at the checkpoint of the first fork', async () => {
    const root = await start(three);
    const fork = await forkBefore(root, ['b']);
    const second = await forkBefore(fork, ['c']);
    expect(await diff(second, root)).toMatchObject({
      common: { runId: root, checkpoint: await checkpointWhere(user(), root, hasNextNodes('b')) },
      left: { path: [['b'], ['c']] },
      right: { path: [['b'], ['c']] },
      state: [],
    });
  });

  test('the difference of two unrelated runs has no common checkpoint', async () => {
    const other = aDefinition({ channels: { log: { reducer: 'append' }, more: { default: 1 } } });
    expect(await diff(await start(three), await start(other))).toMatchObject({
      common: null,
      left: { path: [['a'], ['b'], ['c']], usage: { toolCalls: 3 } },
      right: { path: [['a']], usage: { toolCalls: 0 } },
      state: [
        { channel: 'log', left: ['a', 'b', 'c'], right: ['a'] },
        { channel: 'more', left: null, right: 1 },
      ],
    });
  });

  test('the difference of a run with itself is empty', async () => {
    const id = await start(three);
    expect(await diff(id, id)).toMatchObject({
      common: { runId: id },
      left: { path: [] },
      right: { path: [] },
      state: [],
    });
  });

  test.each([
    ['?with=none', 404, 'UNKNOWN_RUN'],
    ['', 422, 'INVALID_REQUEST'],
  ])('the difference of runs is refused for the query "%s", which names no other run', async (query, status, code) => {
    expect(await user().get(`/api/runs/${await start(three)}/diff${query}`)).toMatchObject(aProblem(status, code));
  });

  test('the difference of two runs of different tenants is refused', async () => {
    const theirs = textAt(await startRun(stack().as('otherTenantUser'), aDefinition()), '/id');
    expect(await user().get(`/api/runs/${await start(aDefinition())}/diff?with=${theirs}`)).toMatchObject(
      aProblem(404, 'UNKNOWN_RUN'),
    );
  });
});
