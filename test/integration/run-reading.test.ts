import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../src/graph/values/json.ts';
import { eventsOf, hasStatus, readAll, startAsking, startRun } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../support/readers/problems.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({});
});
afterAll(async () => {
  await stack.stop();
});

const read = async (path: string, headers: Record<string, string> = {}) => await stack.as('user').get(path, headers);
const idsOf = (runs: readonly Json[]): string[] => runs.map((run) => textAt(run, '/id'));

/** Starts runs concurrently, some of them in the same millisecond. @returns their ids */
async function startSeveral(
  count: number,
  name: string,
  caller: 'user' | 'otherTenantUser' = 'user',
): Promise<string[]> {
  const graph = aDefinition({ name });
  return idsOf(await Promise.all(Array.from({ length: count }, () => startRun(stack.as(caller), graph))));
}

describe('the list of runs', () => {
  test('the list of runs begins with the newest', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(...(await startSeveral(1, 'in-order')));
    expect(idsOf(await readAll(stack.as('user'), '/api/runs?graph=in-order'))).toEqual(ids.reverse());
  });

  test.each([1, 3, 200])('the list of runs lists every run once in pages of %i', async (limit) => {
    const ids = await startSeveral(10, `pages-of-${limit}`);
    const listed = idsOf(await readAll(stack.as('user'), `/api/runs?graph=pages-of-${limit}`, limit));
    expect(listed.toSorted()).toEqual(ids.toSorted());
  });

  test('the list of runs neither repeats nor skips a run while others are added', async () => {
    const ids = await startSeveral(6, 'growing');
    const listed: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await read(`/api/runs?graph=growing&limit=2${cursor}`);
      listed.push(...idsOf(listAt(body, '/items')));
      if (at(body, '/nextCursor') === null) break;
      cursor = `&cursor=${textAt(body, '/nextCursor')}`;
      await startSeveral(1, 'growing');
    }
    expect(listed.toSorted()).toEqual(ids.toSorted());
  });

  test('the list of runs is filtered by status and graph', async () => {
    const { runId } = await startAsking(stack.as('user'));
    await startSeveral(1, 'test');
    expect(idsOf(await readAll(stack.as('user'), '/api/runs?graph=test&status=waiting'))).toEqual([runId]);
    expect(await readAll(stack.as('user'), '/api/runs?graph=nobody')).toEqual([]);
  });

  test('the list of runs is filtered by the time of creation', async () => {
    const [earlier = ''] = await startSeveral(1, 'timely');
    const { body } = await read(`/api/runs/${earlier}`);
    const later = await startSeveral(1, 'timely');
    const createdAfter = encodeURIComponent(textAt(body, '/createdAt'));
    expect(idsOf(await readAll(stack.as('user'), `/api/runs?graph=timely&createdAfter=${createdAfter}`))).toEqual(
      later,
    );
  });

  test.each(['2026-01-01T00:00:00+23:59', '2026-01-01T00:00:00.123456789-23:59', '9999-12-31T23:59:59Z'])(
    'the list of runs accepts the time %s as a filter',
    async (time) => {
      expect(await read(`/api/runs?createdAfter=${encodeURIComponent(time)}`)).toMatchObject({ status: 200 });
    },
  );

  test('the list of runs lists only runs of the caller’s tenant', async () => {
    await startSeveral(1, 'mine');
    expect(await readAll(stack.as('otherTenantUser'), '/api/runs?graph=mine')).toEqual([]);
  });

  test.each([
    ['limit=0', '/limit'],
    ['limit=201', '/limit'],
    ['limit=1.5', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['status=sleeping', '/status'],
    ['createdAfter=yesterday', '/createdAfter'],
    ['cursor=', '/cursor'],
  ])('the list of runs refuses the query ?%s', async (query, path) => {
    const answer = await read(`/api/runs?${query}`);
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual([path]);
  });
});

describe('a cursor', () => {
  let cursor: string;
  beforeAll(async () => {
    await startSeveral(2, 'cursed');
    cursor = textAt((await read('/api/runs?graph=cursed&limit=1')).body, '/nextCursor');
  });

  const other = (letter: string): string => (letter === 'e' ? 'f' : 'e');
  test.each<[string, (cursor: string) => string]>([
    ['whose position was changed', (given) => given.replace(/^./, other)],
    ['whose signature was changed', (given) => given.replace(/(?<=\.)./, other)],
    ['without a signature', (given) => given.replace(/\..*/, '')],
    ['of another list with the same signature', (given) => given.replace(/.*\./, 'e30.')],
    ['that was forged', () => Buffer.from('{"at":"2030-01-01","id":"1"}').toString('base64url')],
  ])('a pagination cursor %s is refused', async (_what, change) => {
    expect(await read(`/api/runs?graph=cursed&cursor=${change(cursor)}`)).toMatchObject(
      aProblem(400, 'INVALID_CURSOR'),
    );
  });

  test.each([
    ['no filter', '/api/runs?'],
    ['another filter', '/api/runs?graph=other&'],
    ['one filter more', '/api/runs?graph=cursed&status=completed&'],
    ['another list', '/api/approvals?'],
    ['the list of graphs', '/api/graphs?'],
  ])('a pagination cursor is refused with %s', async (_what, path) => {
    expect(await read(`${path}cursor=${cursor}`)).toMatchObject(aProblem(400, 'INVALID_CURSOR'));
  });

  test('a pagination cursor of another tenant is refused', async () => {
    const answer = await stack.as('otherTenantUser').get(`/api/runs?graph=cursed&cursor=${cursor}`);
    expect(answer).toMatchObject(aProblem(400, 'INVALID_CURSOR'));
  });

  test('a pagination cursor can be used with another page size', async () => {
    expect(await read(`/api/runs?graph=cursed&limit=200&cursor=${cursor}`)).toMatchObject({
      status: 200,
      body: { items: [{}], nextCursor: null },
    });
  });
});

describe('the state of a run', () => {
  /** A graph that writes, then requests an approval, with another write in between. */
  const graph = aDefinition({
    nodes: {
      first: { type: 'set', write: { log: 'first' } },
      ask: { type: 'approval', title: 'May I?', write: { log: '{{ result.decision }}' } },
      beside: { type: 'set', write: { log: 'beside' } },
    },
    edges: [
      { from: '__start__', to: 'first' },
      { from: 'first', to: ['ask', 'beside'] },
    ],
  });
  const stateOf = async (id: string, query = '') => await read(`/api/runs/${id}/state${query}`);

  test('the state of a running run is that of the last checkpoint, with the pending writes of finished tasks', async () => {
    const id = textAt(await startRun(stack.as('user'), graph, { log: ['given'] }), '/id');
    expect(await stateOf(id)).toMatchObject({
      status: 200,
      body: {
        values: { log: ['given', 'first'] },
        next: ['ask'],
        pending: [{ node: 'beside', update: { log: 'beside' } }],
        visited: ['first'],
      },
    });
  });

  test('the state of a run is complete when the run has ended', async () => {
    const id = textAt(await startRun(stack.as('user'), graph), '/id');
    await stack.as('approver').post(`/api/runs/${id}/approve`, {});
    await stack.as('user').untilRun(id, hasStatus('completed'));
    const values = { log: ['first', 'approved', 'beside'] };
    expect((await stateOf(id)).body).toMatchObject({
      values,
      next: [],
      pending: [],
      visited: ['first', 'ask', 'beside'],
    });
  });

  test('the state of a failed run has the pending writes of finished tasks, also after its last node and an edit', async () => {
    const sets = (text: string) => ({ type: 'set', write: { log: text } }) as const;
    const failing = aDefinition({
      nodes: { beside: sets('beside'), worse: sets('{{ state.log[9] }}'), tell: sets('tell') },
      edges: [{ from: '__start__', to: ['beside', 'worse'] }],
      onFail: 'tell',
    });
    const id = textAt(await startRun(stack.as('user'), failing), '/id');
    await stack.as('user').untilRun(id, hasStatus('failed'));
    const pending = [{ node: 'beside', update: { log: 'beside' } }];
    const failed = await stateOf(id);
    expect(failed).toMatchObject({ status: 200, body: { values: { log: ['tell'] }, next: ['worse'], pending } });
    const headers = { 'content-type': 'application/json', 'if-match': failed.headers.get('etag') ?? '' };
    const init = { method: 'PATCH', headers, body: JSON.stringify({ values: { log: 'edited' } }) };
    expect(await stack.as('user').send(`/api/runs/${id}/state`, init)).toMatchObject({ status: 200 });
    expect(await stateOf(id)).toMatchObject({ status: 200, body: { values: { log: ['tell', 'edited'] }, pending } });
  });

  test('the state of a run is stored for every checkpoint', async () => {
    const id = textAt(await startRun(stack.as('user'), graph, { log: ['given'] }), '/id');
    await stack.as('approver').post(`/api/runs/${id}/approve`, {});
    await stack.as('user').untilRun(id, hasStatus('completed'));
    const saved = await eventsOf(stack.as('user'), id, 'checkpoint.saved');
    const states = await Promise.all(saved.map((event) => stateOf(id, `?checkpoint=${textAt(event, '/checkpoint')}`)));
    expect(states.map(({ body }) => body)).toMatchObject([
      { values: { log: ['given'] }, next: ['first'], checkpoint: textAt(saved[0] ?? null, '/checkpoint') },
      { values: { log: ['given', 'first'] }, next: ['ask', 'beside'], visited: ['first'] },
      { values: { log: ['given', 'first', 'approved', 'beside'] }, next: [] },
    ]);
  });

  test('the state of a run has a strong ETag, which is the same until the state changes', async () => {
    const id = textAt(await startRun(stack.as('user'), graph), '/id');
    const tags = [(await stateOf(id)).headers.get('etag'), (await stateOf(id)).headers.get('etag')];
    await stack.as('approver').post(`/api/runs/${id}/approve`, {});
    await stack.as('user').untilRun(id, hasStatus('completed'));
    expect(tags).toEqual([expect.stringMatching(/^"[^"]+"$/), tags[0]]);
    expect((await stateOf(id)).headers.get('etag')).not.toBe(tags[0]);
  });

  test("the ETag of a run's state changes when its pending writes change", async () => {
    const ask = { type: 'approval', title: 'Go on?' } as const;
    const two = aDefinition({ nodes: { one: ask, two: ask }, edges: [{ from: '__start__', to: ['one', 'two'] }] });
    const id = textAt(await startRun(stack.as('user'), two), '/id');
    const before = await stateOf(id);
    const { body } = await stack.as('user').get(`/api/approvals?runId=${id}`);
    await stack.as('approver').post(`/api/runs/${id}/approve`, { approvalId: textAt(body, '/items/0/id') });
    await expect.poll(async () => at((await stateOf(id)).body, '/pending')).toHaveLength(1);
    const after = await stateOf(id);
    expect(at(after.body, '/checkpoint')).toBe(at(before.body, '/checkpoint'));
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test('a request for the state at a checkpoint that the run does not have is refused', async () => {
    const [one = '', two = ''] = await startSeveral(2, 'stated');
    const foreign = textAt((await stateOf(two)).body, '/checkpoint');
    expect(await stateOf(one, `?checkpoint=${foreign}`)).toMatchObject(aProblem(404, 'UNKNOWN_CHECKPOINT'));
    expect(await stateOf(one, '?checkpoint=none')).toMatchObject(aProblem(404, 'UNKNOWN_CHECKPOINT'));
  });
});

describe('the history of a run', () => {
  let id: string;
  let events: readonly Json[];
  beforeAll(async () => {
    const nodes = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [name, { type: 'set', write: { log: name } } as const]),
    );
    id = textAt(await startRun(stack.as('user'), aDefinition({ nodes })), '/id');
    events = await eventsOf(stack.as('user'), id);
  });

  test('the history of a run is numbered from 1 without gaps', () => {
    expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, index) => index + 1));
  });

  test('the history of a run lists the events in order', () => {
    const node = ['step.started', 'node.started', 'node.completed', 'checkpoint.saved'];
    const types = ['run.started', 'checkpoint.saved', ...node, ...node, ...node, 'run.completed'];
    expect(events.map((event) => textAt(event, '/type'))).toEqual(types);
    expect(events[0]).toMatchObject({ step: -1, by: 'uma', graph: { name: 'test' } });
    expect(events.at(-1)).toMatchObject({ output: { log: ['a', 'b', 'c'] } });
  });

  test.each([1, 4, 16])('the history of a run is the same in pages of %i', async (limit) => {
    expect(await readAll(stack.as('user'), `/api/runs/${id}/history`, limit)).toEqual(events);
  });

  test('the history of a run has no cursor on its last page', async () => {
    const { body } = await read(`/api/runs/${id}/history?limit=${events.length}`);
    expect(at(body, '/nextCursor')).toBeNull();
  });

  test.each([0, 1, 13])('the history of a run begins after event %i on request', async (after) => {
    const path = `/api/runs/${id}/history?after=${after}`;
    expect(await readAll(stack.as('user'), path, 1_000)).toEqual(events.slice(after));
    expect(await readAll(stack.as('user'), path, 4)).toEqual(events.slice(after));
  });

  test('the history of a run is empty after its last event', async () => {
    const { body } = await read(`/api/runs/${id}/history?after=999999999`);
    expect(body).toEqual({ items: [], nextCursor: null });
  });

  test.each(['after=-1', 'after=01', 'after=x', 'limit=1001', 'limit=0'])(
    'the history of a run refuses %s',
    async (query) => {
      expect(await read(`/api/runs/${id}/history?${query}`)).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    },
  );

  test("a cursor of a run's history is refused together with another value of after", async () => {
    const cursor = textAt((await read(`/api/runs/${id}/history?limit=1`)).body, '/nextCursor');
    const behind = `/api/runs/${id}/history?after=3&cursor=${cursor}`;
    expect(await read(behind)).toMatchObject(aProblem(400, 'INVALID_CURSOR'));
  });

  test('the history of a run refuses a cursor of another run', async () => {
    const [other = ''] = await startSeveral(1, 'told');
    const cursor = textAt((await read(`/api/runs/${other}/history?limit=1`)).body, '/nextCursor');
    expect(await read(`/api/runs/${id}/history?cursor=${cursor}`)).toMatchObject(aProblem(400, 'INVALID_CURSOR'));
  });
});

test.each(['', '/state', '/history'])('GET /api/runs/{id}%s does not find a run of another tenant', async (path) => {
  const [id = ''] = await startSeveral(1, 'foreign');
  const missing = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
  const [foreign, none] = await Promise.all(
    [id, missing].map((run) => stack.as('otherTenantUser').get(`/api/runs/${run}${path}`)),
  );
  expect(foreign).toMatchObject(aProblem(404, 'UNKNOWN_RUN'));
  expect(JSON.stringify(foreign?.body)).toBe(JSON.stringify(none?.body).replaceAll(missing, id));
});

test('a redacted channel is hidden in the history from callers without payload:read', async () => {
  const graph = aDefinition({
    channels: { card: { redact: true }, name: {} },
    nodes: { keep: { type: 'set', write: { card: '4111', name: 'Ada' } } },
  });
  const run = await startRun(stack.as('user'), graph);
  const seen = async (caller: 'user' | 'admin') =>
    (await eventsOf(stack.as(caller), textAt(run, '/id'))).flatMap((event) => at(event, '/update') ?? []);
  expect(await seen('user')).toEqual([{ card: '[redacted]', name: 'Ada' }]);
  expect(await seen('admin')).toEqual([{ card: '4111', name: 'Ada' }]);
  expect(JSON.stringify(await eventsOf(stack.as('user'), textAt(run, '/id')))).not.toContain('4111');
});
