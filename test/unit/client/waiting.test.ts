import { expect, test } from 'vitest';
import { createApprovals } from '../../../src/client/approvals.ts';
import { followRun } from '../../../src/client/follow-run.ts';
import { createRuns } from '../../../src/client/runs.ts';
import { createSend } from '../../../src/client/send.ts';
import { startRun } from '../../../src/client/start-run.ts';
import { waitForRun } from '../../../src/client/wait-for-run.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { problemResponse } from '../../../src/process/problem.ts';
import type { Connection } from '../../../src/client/send.ts';

interface ScriptedApi {
  readonly connection: Connection;
  /** The requests, each with its `Prefer` header. */
  readonly asked: string[];
}

/** An API with scripted responses for each path, of which the last one is repeated; each request takes a second. */
function scriptedApi(answers: Readonly<Record<string, readonly Json[]>>, requestMs = 1_000): ScriptedApi {
  const asked: string[] = [];
  const left = new Map(Object.entries(answers).map(([path, all]) => [path, [...all]]));
  let now = 0;
  const timing = {
    now: () => now,
    random: () => 0,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    now += requestMs;
    const { pathname, search } = new URL(url);
    const prefer = new Headers(init.headers).get('prefer');
    asked.push(`${init.method} ${pathname}${search}${prefer === null ? '' : ` ${prefer}`}`);
    const rest = left.get(`${pathname}${search}`) ?? [];
    return Response.json(rest.length > 1 ? rest.shift() : rest[0]);
  };
  const send = createSend({ baseUrl: 'http://api.test', token: 't', fetch }, timing);
  return { connection: { send, timing }, asked };
}

const run = (status: string, waitingFor: readonly Json[] = [], lastSeq = 0): Json => ({
  id: 'r',
  status,
  waitingFor,
  lastSeq,
});
const approval = { kind: 'approval', node: 'ask', id: 'r.a1' };
const timer = { kind: 'timer', node: 'nap' };

test('the client waits for the end of a run for longer than a minute', async () => {
  const { connection, asked } = scriptedApi({ '/api/runs/r': [run('running'), run('completed')] }, 60_000);
  expect(await waitForRun(connection, 'r')).toMatchObject({ status: 'completed' });
  expect(asked).toEqual(['GET /api/runs/r wait=60', 'GET /api/runs/r wait=60']);
});

test('a client’s wait for a run ends when the run needs a person, not when it only waits for a timer', async () => {
  const waits = [run('waiting', [timer]), run('waiting', [timer, approval]), run('completed')];
  const { connection } = scriptedApi({ '/api/runs/r': waits });
  expect(await waitForRun(connection, 'r')).toMatchObject({ waitingFor: [timer, approval] });
});

test('a client’s wait for the end continues while the run needs a person', async () => {
  const waits = [run('waiting', [approval]), run('paused'), run('failed')];
  const { connection, asked } = scriptedApi({ '/api/runs/r': waits });
  expect(await waitForRun(connection, 'r', { until: 'ended' })).toMatchObject({ status: 'failed' });
  expect(asked).toHaveLength(3);
});

test('a client’s wait returns the current run after its time-out', async () => {
  const { connection, asked } = scriptedApi({ '/api/runs/r': [run('running')] });
  expect(await waitForRun(connection, 'r', { timeoutMs: 2_500 })).toMatchObject({ status: 'running' });
  expect(asked).toEqual(['GET /api/runs/r wait=3', 'GET /api/runs/r wait=1']);
});

test('the client returns a decision once reads include it', async () => {
  const decided = { id: 'r.a1', status: 'approved', decisions: [{ by: 'ann' }] };
  const { connection, asked } = scriptedApi({
    '/api/runs/r/approve': [decided],
    '/api/approvals/r.a1': [{ ...decided, status: 'pending', decisions: [] }, decided],
  });
  expect(await createRuns(connection).approve('r')).toEqual(decided);
  expect(asked).toEqual(['POST /api/runs/r/approve', 'GET /api/approvals/r.a1', 'GET /api/approvals/r.a1']);
});

test('the client returns a decision although reads lag behind', async () => {
  const decided = { id: 'r.a1', status: 'approved', decisions: [{ by: 'ann' }] };
  const { connection } = scriptedApi({
    '/api/runs/r/reject': [decided],
    '/api/approvals/r.a1': [{ ...decided, decisions: [] }],
  });
  expect(await createRuns(connection).reject('r')).toEqual(decided);
});

test('the client returns a decision although it can not be read', async () => {
  const decided = { id: 'r.a1', status: 'approved', decisions: [{ by: 'ann' }] };
  const { connection, asked } = scriptedApi({ '/api/approvals/r.a1/decision': [decided] });
  expect(await createApprovals(connection).decide({ id: 'r.a1' }, { decision: 'approve' })).toEqual(decided);
  expect(asked.filter((request) => request.startsWith('POST'))).toHaveLength(1);
});

test('a client’s start whose wait fails reports that the run may exist, and its idempotency key', async () => {
  const { connection } = scriptedApi({ '/api/runs': [run('running')] });
  const options = { waitMs: 5_000, idempotencyKey: 'mine' };
  await expect(startRun(connection, { graph: 'g' }, options)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    mayTakeEffect: true,
    idempotencyKey: 'mine',
  });
});

test.each([
  [{}, false],
  [{ idempotencyKey: 'mine' }, true],
])(
  'the client knows for a forbidden start with %j whether an earlier attempt was possibly executed: %j',
  async (options, expected) => {
    const timing = { now: () => 0, random: () => 0, sleep: async () => undefined };
    const fetch = async (): Promise<Response> =>
      problemResponse({ code: 'FORBIDDEN', status: 403, message: 'no' }, '/api/runs');
    const send = createSend({ baseUrl: 'http://api.test', token: 't', fetch }, timing);
    await expect(startRun({ send, timing }, { graph: 'g' }, options)).rejects.toMatchObject({
      mayTakeEffect: expected,
    });
  },
);

test('the client’s start of a run waits within the start request first', async () => {
  const { connection, asked } = scriptedApi({ '/api/runs': [run('running')], '/api/runs/r': [run('completed')] });
  expect(await startRun(connection, { graph: 'g' }, { waitMs: 5_000 })).toMatchObject({ status: 'completed' });
  expect(asked).toEqual(['POST /api/runs wait=5', 'GET /api/runs/r wait=4']);
});

const historyPage = (seqs: readonly number[], nextCursor: string | null = null): Json => ({
  items: seqs.map((seq) => ({ seq })),
  nextCursor,
});

test('the client’s run stream to the next idle state yields each event once over pages', async () => {
  const { connection } = scriptedApi({
    '/api/runs/r': [run('running'), run('paused', [], 4)],
    '/api/runs/r/history?limit=200': [historyPage([1, 2], 'c')],
    '/api/runs/r/history?limit=200&cursor=c': [historyPage([3]), historyPage([3, 4])],
  });
  const seqs: number[] = [];
  for await (const { seq } of followRun(connection, 'r', { after: 1, until: 'rest' })) seqs.push(seq);
  expect(seqs).toEqual([2, 3, 4]);
});

test('the client’s run stream to the next idle state waits for events that are written late', async () => {
  const { connection } = scriptedApi({
    '/api/runs/r': [run('paused', [], 3)],
    '/api/runs/r/history?limit=200': [historyPage([1]), historyPage([1]), historyPage([1, 2, 3])],
  });
  const seqs: number[] = [];
  for await (const { seq } of followRun(connection, 'r', { until: 'rest' })) seqs.push(seq);
  expect(seqs).toEqual([1, 2, 3]);
});

test('the client’s run stream to the next idle state continues when the caller has continued the run', async () => {
  const { connection } = scriptedApi({
    '/api/runs/r': [run('failed', [], 1), run('completed', [], 2)],
    '/api/runs/r/history?limit=200': [historyPage([1]), historyPage([1, 2])],
  });
  const events = followRun(connection, 'r', { until: 'rest' });
  expect((await events.next()).value).toEqual({ seq: 1 });
  expect((await events.next()).value).toEqual({ seq: 2 });
  expect(await events.next()).toMatchObject({ done: true, value: { status: 'completed' } });
});
