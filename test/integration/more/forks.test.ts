import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { eventsOf, readAll, startRun } from '../../support/readers/api-runs.ts';
import {
  aJob,
  allOf,
  checkpointWhere,
  checkpointsOf,
  hasNextNodes,
  patchState,
} from '../../support/readers/api-states.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import { useWorkingStack } from '../../support/servers/working-stack.ts';

const { stack, service, user, runOf, until } = useWorkingStack(startTestStack);

const fork = async (id: string, body: object, headers: Record<string, string> = {}) =>
  await user().post(`/api/runs/${id}/fork`, body, headers);
const keysOf = (job: string): string[] =>
  service()
    .calls.filter((call) => call.job === job)
    .map(({ key }) => key);

const three = aDefinition({ name: 'three', nodes: { a: aJob('a'), b: aJob('b'), c: aJob('c') } });
const asking = aDefinition({
  nodes: { a: aJob('a'), ask: { type: 'approval', title: 'Go on?', details: { amount: 3 } }, b: aJob('b') },
});

/** A run, and the checkpoint before one of its nodes. */
interface Parent {
  readonly id: string;
  readonly checkpoint: string;
}

async function startParent(graph: GraphDefinition | string, ...next: string[]): Promise<Parent> {
  const id = textAt(await startRun(user(), graph), '/id');
  return { id, checkpoint: await checkpointWhere(user(), id, hasNextNodes(...next)) };
}

/** Forks a run. @returns the fork's id */
async function forked({ id, checkpoint }: Parent, over: object = {}): Promise<string> {
  const { status, body } = await fork(id, { checkpoint, ...over });
  expect({ status, problem: at(body, '/detail') }).toEqual({ status: 201, problem: undefined });
  return textAt(body, '/id');
}

describe('a fork', () => {
  test('a fork continues from the checkpoint and repeats nothing before it', async () => {
    const parent = await startParent(three, 'b');
    const run = await until(await forked(parent), 'completed');
    expect(run).toMatchObject({ output: { log: ['a', 'b', 'c'] }, parentRunId: parent.id, usage: { toolCalls: 3 } });
    expect(service().calls.map(({ job }) => job)).toEqual(['a', 'b', 'c', 'b', 'c']);
  });

  test('a fork makes its calls under new keys', async () => {
    await until(await forked(await startParent(three, 'b')), 'completed');
    expect(new Set([...keysOf('b'), ...keysOf('c')]).size).toBe(4);
  });

  test('a fork returns the location of the new run', async () => {
    const { id, checkpoint } = await startParent(three, 'b');
    const { status, headers, body } = await fork(id, { checkpoint });
    expect({ status, location: headers.get('location') }).toEqual({
      status: 201,
      location: `/api/runs/${textAt(body, '/id')}`,
    });
    expect(body).toMatchObject({ parentRunId: id, createdBy: 'uma', threadId: null, forks: [] });
  });

  test('a fork and its parent refer to each other', async () => {
    const parent = await startParent(three, 'b');
    const ids = [await forked(parent), await forked(parent)];
    expect(at(await runOf(parent.id), '/forks')).toEqual(ids);
    for (const id of ids) expect(await runOf(id)).toMatchObject({ parentRunId: parent.id });
    await until(ids[0] ?? '', 'completed');
    const [started] = await eventsOf(user(), ids[0] ?? '', 'run.started');
    expect(started).toMatchObject({ seq: 1, parent: { runId: parent.id, checkpoint: parent.checkpoint } });
  });

  test('a fork begins with its own checkpoint, whose parent is that of the parent run', async () => {
    const parent = await startParent(three, 'b');
    const id = await forked(parent);
    await until(id, 'completed');
    const [first] = await checkpointsOf(user(), id);
    expect(first).toMatchObject({ source: 'fork', parentId: parent.checkpoint, runId: id, step: 0, next: ['b'] });
  });

  test('a fork of a waiting run leaves it waiting', async () => {
    const parent = await startParent(asking, 'ask');
    const id = await forked(parent);
    await until(id, 'waiting');
    await stack().as('approver').post(`/api/runs/${id}/approve`, {});
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'b'] } });
    expect(await runOf(parent.id)).toMatchObject({ status: 'waiting' });
    await stack().as('approver').post(`/api/runs/${parent.id}/approve`, {});
    expect(await until(parent.id, 'completed')).toMatchObject({ output: { log: ['a', 'b'] } });
  });

  test('a fork of a run in the middle of a call does not wait for the call', async () => {
    const held = service().hold('b');
    const { body } = await user().post('/api/runs', { graph: three });
    const parentId = textAt(body, '/id');
    const release = await held;
    const checkpoint = await checkpointWhere(user(), parentId, hasNextNodes('b'));
    await until(await forked({ id: parentId, checkpoint }), 'completed');
    expect(await runOf(parentId)).toMatchObject({ status: 'running', output: null });
    release();
    expect(await until(parentId, 'completed')).toMatchObject({ output: { log: ['a', 'b', 'c'] } });
  });

  test('a fork of a failed run executes the failed node again', async () => {
    service().refuse('b');
    const parent = await startParent(three, 'b');
    expect(await runOf(parent.id)).toMatchObject({ status: 'failed' });
    expect(await until(await forked(parent), 'completed')).toMatchObject({ output: { log: ['a', 'b', 'c'] } });
    expect(await runOf(parent.id)).toMatchObject({ status: 'failed' });
  });

  test('a fork that fails can be retried', async () => {
    const parent = await startParent(three, 'b');
    service().refuse('b');
    const id = await forked(parent);
    await until(id, 'failed');
    await user().post(`/api/runs/${id}/retry`, {});
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'b', 'c'] } });
    expect(keysOf('b')).toHaveLength(3);
  });

  test('a fork without a next node is completed at once', async () => {
    const id = await forked(await startParent(three));
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'b', 'c'] } });
    expect(service().calls).toHaveLength(3);
  });

  test('a fork from an edit has as many supersteps left as its parent', async () => {
    const { id } = await startParent({ ...three, limits: { maxSteps: 4 } });
    await patchState(user(), id, { values: { log: 'x' } });
    const checkpoint = await checkpointWhere(user(), id, hasNextNodes());
    const run = await until(await forked({ id, checkpoint }, { asNode: 'b' }), 'completed', 'failed');
    expect(run).toMatchObject({ error: null, output: { log: ['a', 'b', 'c', 'x', 'c'] } });
  });

  test('a fork at a breakpoint of its graph pauses there again', async () => {
    const parent = await startParent({ ...three, interruptBefore: ['b'] }, 'b');
    expect(await until(await forked(parent), 'paused')).toMatchObject({ next: ['b'] });
    expect(service().done).toEqual(['a']);
  });

  test('a fork requested twice under one Idempotency-Key is created once', async () => {
    const { id, checkpoint } = await startParent(three, 'b');
    const once = async () => await fork(id, { checkpoint }, { 'idempotency-key': `fork ${id}` });
    const [first, second] = [await once(), await once()];
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(at(await runOf(id), '/forks')).toEqual([textAt(first.body, '/id')]);
  });

  test('a fork leaves its parent unchanged', async () => {
    const parent = await startParent(three, 'b');
    const before = await allOf(user(), parent.id);
    const id = await forked(parent, { values: { log: 'x' }, asNode: 'b' });
    await until(id, 'completed');
    await patchState(user(), id, { values: { log: 'y' } });
    const { run, ...after } = await allOf(user(), parent.id);
    expect({ ...after, run: { ...Object(run), forks: [] } }).toEqual(before);
  });
});

describe('forks with changes', () => {
  test('a fork with values applies the reducers', async () => {
    const id = await forked(await startParent(three, 'b'), { values: { log: ['x', 'y'] } });
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'x', 'y', 'b', 'c'] } });
    expect(await eventsOf(user(), id, 'state.updated')).toMatchObject([{ by: 'uma' }]);
  });

  test('a fork with asNode follows the edges of the named node', async () => {
    const id = await forked(await startParent(three, 'b'), { values: { log: 'instead of b' }, asNode: 'b' });
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'instead of b', 'c'] } });
    expect(keysOf('b')).toHaveLength(1);
  });

  test('a fork with another published version of the graph continues in that version', async () => {
    await user().post('/api/graphs', three);
    const parent = await startParent('three@1', 'b');
    await user().post('/api/graphs', { ...three, nodes: { ...three.nodes, b: aJob('better b') } });
    const second = await until(await forked(parent, { graph: 'three@2' }), 'completed');
    expect(second).toMatchObject({ graph: { name: 'three', version: 2 }, output: { log: ['a', 'better b', 'c'] } });
    const first = await until(await forked(parent), 'completed');
    expect(first).toMatchObject({ graph: { name: 'three', version: 1 }, output: { log: ['a', 'b', 'c'] } });
  });

  test('a fork with an inline graph keeps the values of channels of the same name', async () => {
    const channels = { log: { reducer: 'append' }, extra: { default: 'new' } } as const;
    const graph = aDefinition({ name: 'other', channels, nodes: { z: aJob('{{ state.extra }}') } });
    const edged = { ...graph, nodes: { ...graph.nodes, b: aJob('own b') }, edges: [{ from: '__start__', to: 'b' }] };
    const whole = { ...edged, edges: [...edged.edges, { from: 'b', to: 'z' }] };
    const id = await forked(await startParent(three, 'b'), { graph: whole });
    expect(await until(id, 'completed')).toMatchObject({
      graph: { name: 'other', version: null },
      output: { log: ['a', 'own b', 'new'], extra: 'new' },
    });
  });
});

describe('a refused fork', () => {
  const refused: readonly [object, readonly [number, string, ...string[]]][] = [
    [{ checkpoint: 'none' }, [404, 'UNKNOWN_CHECKPOINT']],
    [{ checkpoint: undefined }, [422, 'INVALID_REQUEST', '/checkpoint']],
    [{ values: { lgo: 1, olg: 2 } }, [422, 'INVALID_VALUES', '/values/lgo', '/values/olg']],
    [{ values: { n: 'text' } }, [422, 'INVALID_VALUES', '/values/n']],
    [{ asNode: 'x' }, [422, 'INVALID_REQUEST', '/asNode']],
    [{ graph: 'nobody' }, [404, 'UNKNOWN_GRAPH']],
    [{ graph: aDefinition({ nodes: { z: aJob('z') } }) }, [422, 'INVALID_REQUEST', '/graph']],
    [{ graph: { ...three, edges: [] } }, [422, 'INVALID_GRAPH', '/edges']],
    [{ threadId: 't' }, [422, 'INVALID_REQUEST', '/threadId']],
  ];

  test.each(refused)('a refused fork with the body %j creates no run', async (over, [status, code, ...paths]) => {
    const channels = { log: { reducer: 'append' }, n: { schema: { type: ['number', 'null'] } } } as const;
    const { id, checkpoint } = await startParent({ ...three, channels }, 'b');
    const answer = await fork(id, { checkpoint, ...over });
    expect(answer).toMatchObject(aProblem(status, code));
    expect(issuePathsOf(answer)).toEqual(paths);
    expect(at(await runOf(id), '/forks')).toEqual([]);
  });

  test('a fork at a checkpoint of another run is refused', async () => {
    const [one, other] = [await startParent(three, 'b'), await startParent(three, 'b')];
    const refused = await fork(one.id, { checkpoint: other.checkpoint });
    expect(refused).toMatchObject(aProblem(404, 'UNKNOWN_CHECKPOINT'));
  });

  test('a fork of a run of another tenant is refused', async () => {
    const { id, checkpoint } = await startParent(three, 'b');
    const answer = await stack().as('otherTenantUser').post(`/api/runs/${id}/fork`, { checkpoint });
    expect(answer).toMatchObject(aProblem(404, 'UNKNOWN_RUN'));
    expect(at(await runOf(id), '/forks')).toEqual([]);
  });

  test('a fork that would continue after an approval which the caller may not decide is refused', async () => {
    const { id, checkpoint } = await startParent(asking, 'ask');
    expect(await fork(id, { checkpoint, asNode: 'ask' })).toMatchObject(aProblem(403, 'NOT_AN_APPROVER'));
    expect(await stack().as('admin').post(`/api/runs/${id}/fork`, { checkpoint, asNode: 'ask' })).toMatchObject({
      status: 201,
    });
  });
});

describe('an approval in a fork', () => {
  test('an approval in a fork is requested again, and lists what the parent did after the checkpoint', async () => {
    const parent = await startParent(asking, 'ask');
    await stack().as('approver').post(`/api/runs/${parent.id}/approve`, {});
    await until(parent.id, 'completed');
    const id = await forked(parent);
    await until(id, 'waiting');
    const [approval] = await readAll(user(), `/api/approvals?runId=${id}`);
    expect(approval).toMatchObject({ runId: id, status: 'pending', decisions: [] });
    const done = [{ node: 'b', tool: 'work', at: expect.stringMatching(/Z$/) }];
    expect(at(approval ?? null, '/details')).toEqual({ amount: 3, parentRun: { runId: parent.id, done } });
  });

  test('an approval in a fork lists nothing when the parent did nothing after the checkpoint', async () => {
    const id = await forked(await startParent(asking, 'ask'));
    await until(id, 'waiting');
    const [approval] = await readAll(user(), `/api/approvals?runId=${id}`);
    expect(at(approval ?? null, '/details')).toEqual({ amount: 3 });
  });

  test('an approval in a fork lists the rejections of its parent and grandparent', async () => {
    const reject = async (id: string, reason: string) => {
      await until(id, 'waiting');
      await stack().as('approver').post(`/api/runs/${id}/reject`, { reason });
      await until(id, 'completed');
    };
    const parent = await startParent(asking, 'ask');
    await reject(parent.id, 'no');
    const child = await forked(parent);
    await reject(child, 'still no');
    const id = await forked({ id: child, checkpoint: await checkpointWhere(user(), child, hasNextNodes('ask')) });
    await until(id, 'waiting');
    const [approval] = await readAll(user(), `/api/approvals?runId=${id}`);
    expect(at(approval ?? null, '/previous')).toMatchObject([
      { id: expect.stringContaining(parent.id), status: 'rejected', decisions: [{ by: 'ada', reason: 'no' }] },
      { id: expect.stringContaining(child), status: 'rejected', decisions: [{ by: 'ada', reason: 'still no' }] },
    ]);
  });

  test('an approval in a fork is decided without effect on the parent', async () => {
    const parent = await startParent(asking, 'ask');
    const id = await forked(parent);
    await until(id, 'waiting');
    await stack().as('approver').post(`/api/runs/${id}/reject`, { reason: 'no' });
    await until(id, 'completed', 'failed');
    const [approval] = listAt((await user().get(`/api/approvals?runId=${parent.id}`)).body, '/items');
    expect(approval).toMatchObject({ status: 'pending', decisions: [] });
  });
});
