import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresStore } from '../../../src/store/store.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import type { ApiClient } from '../../support/readers/api-client.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { FIRE_SCHEDULE } from '../../../src/workflows/schedule-contract.ts';

/* Schedules on a real Temporal server: runs of `said` end at once, those of `asked` wait for a person. */

let stack: TestStack;
let user: ApiClient;
beforeAll(async () => {
  stack = await startTestStack({}, {}, { firesMs: 100, syncSchedulesMs: 200 });
  user = stack.as('user');
  await user.post('/api/graphs', said('said', { word: {}, secret: { redact: true } }));
  const ask = { ask: { type: 'approval', title: 'Go on?' } } as const;
  await user.post('/api/graphs', aDefinition({ name: 'asked', nodes: ask, edges: [{ from: '__start__', to: 'ask' }] }));
});
afterAll(async () => await stack.stop());

const said = (name: string, channels: object) =>
  aDefinition({
    name,
    channels: { ...channels },
    nodes: { say: { type: 'set', write: { word: '{{ state.word }}!' } } },
  });
/** A schedule that does not fire during the tests: Temporal counts intervals from 1970. */
const SELDOM = { graph: 'said', every: '366d' };

async function create(terms: object): Promise<string> {
  const { status, body } = await user.post('/api/schedules', terms);
  expect({ status, detail: at(body, '/detail') }).toEqual({ status: 201, detail: undefined });
  return textAt(body, '/id');
}
const read = async (id: string): Promise<Json> => (await user.get(`/api/schedules/${id}`)).body;
const change = async (id: string, body: object) =>
  await user.send(`/api/schedules/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const remove = async (id: string) => await user.send(`/api/schedules/${id}`, { method: 'DELETE' });
const trigger = async (id: string, headers: Record<string, string> = {}): Promise<Json> =>
  (await user.post(`/api/schedules/${id}/trigger`, {}, headers)).body;
/** A decided trigger: the request does not wait for a slow cycle of the sweeper. */
const decided = async (id: string, headers: Record<string, string> = {}): Promise<Json> => {
  const asked = await trigger(id, headers);
  const fire = async (): Promise<Json | undefined> =>
    listAt(await read(id), '/lastRuns').find((one) => at(one, '/at') === at(asked, '/at'));
  await expect.poll(fire).not.toMatchObject({ outcome: 'pending' });
  return (await fire()) ?? null;
};
const outcomesOf = async (id: string): Promise<readonly Json[]> =>
  listAt(await read(id), '/lastRuns').map((fire) => at(fire, '/outcome') ?? null);

async function inTemporal<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    return await work(new Client({ connection, namespace: stack.namespace }));
  } finally {
    await connection.close();
  }
}

/** The ids of the workflows of a schedule that are open. */
const openFires = async (id: string): Promise<readonly string[]> =>
  await inTemporal(async ({ workflow }) => {
    const ids: string[] = [];
    const open = workflow.list({ query: `WorkflowType = '${FIRE_SCHEDULE}' AND ExecutionStatus = 'Running'` });
    for await (const { workflowId } of open) if (workflowId.includes(id)) ids.push(workflowId);
    return ids;
  });

/** The fire times for which a schedule has started runs, in milliseconds since 1970. */
const startTimesOf = async (id: string): Promise<readonly number[]> =>
  listAt((await user.get(`/api/runs?metadata=schedule:${id}`)).body, '/items').map((run) =>
    Date.parse(textAt(run, '/metadata/scheduledAt')),
  );

/**
 * Waits until another schedule of every second has fired four times after a given time, so that others could have fired
 * as well.
 */
async function untilMoreStart(after: number): Promise<void> {
  const id = await create({ graph: 'said', every: '1s', input: { word: 'later' } });
  const later = async () => (await startTimesOf(id)).filter((time) => time > after).length;
  await expect.poll(later, { timeout: 45_000 }).toBeGreaterThanOrEqual(4);
  await remove(id);
}

test(
  'a schedule of every second starts a run each second as its creator, until it is paused',
  { timeout: 180_000 },
  async () => {
    const id = await create({ graph: 'said', every: '1s', input: { word: 'hello' }, metadata: { team: 'a' } });
    await expect
      .poll(async () => await outcomesOf(id), { timeout: 45_000 })
      .toEqual(expect.arrayContaining(['started', 'started']));
    expect(await change(id, { paused: true })).toMatchObject({ status: 200, body: { paused: true } });
    const pausedAt = Date.now();
    const runs = await user.get(`/api/runs?metadata=schedule:${id}`);
    const [run] = listAt(runs.body, '/items');
    expect(run).toMatchObject({
      graph: { name: 'said', version: 1 },
      input: { word: 'hello' },
      metadata: { team: 'a', schedule: id, scheduledAt: expect.stringMatching(/:\d\d\.000Z$/) },
    });
    expect(at(run ?? null, '/createdBy')).toBe(at(await read(id), '/createdBy'));
    const times = listAt(runs.body, '/items').map((one) => at(one, '/metadata/scheduledAt'));
    expect(new Set(times).size).toBe(times.length);
    await untilMoreStart(pausedAt);
    await expect.poll(async () => await outcomesOf(id)).not.toContain('pending');
    expect((await startTimesOf(id)).filter((time) => time > pausedAt)).toEqual([]);
    await remove(id);
    expect(await user.get(`/api/schedules/${id}`)).toMatchObject(aProblem(404, 'NOT_FOUND'));
  },
);

describe('the overlap policy', () => {
  const asked = async (overlap: string): Promise<string> =>
    await create({ graph: 'asked', every: SELDOM.every, overlap });
  const approve = async (runId: string): Promise<void> => {
    await user.untilRun(runId, (run) => at(run, '/status') === 'waiting');
    await stack.as('approver').post(`/api/runs/${runId}/approve`, {});
    await user.untilRun(runId, (run) => at(run, '/status') === 'completed');
  };

  test('the overlap policy skip drops a fire while a run has not ended', async () => {
    const id = await asked('skip');
    const first = await decided(id);
    expect(first).toMatchObject({ kind: 'trigger', outcome: 'started', runId: expect.any(String) });
    expect(await decided(id)).toMatchObject({ outcome: 'skipped', code: 'OVERLAP', runId: null });
    await approve(textAt(first, '/runId'));
    expect(await decided(id)).toMatchObject({ outcome: 'started' });
  });

  test('the overlap policy buffer keeps one fire waiting until the run has ended', async () => {
    const id = await asked('buffer');
    const first = await decided(id);
    expect(await trigger(id)).toMatchObject({ outcome: 'pending' });
    await expect.poll(async () => at(await trigger(id), '/outcome'), { interval: 1_100 }).toMatch(/pending|skipped/);
    await approve(textAt(first, '/runId'));
    await expect.poll(async () => (await outcomesOf(id)).filter((one) => one === 'started').length).toBe(2);
  });

  test('the overlap policy cancelOther cancels the previous run and starts the next one', async () => {
    const id = await asked('cancelOther');
    const first = await decided(id);
    await user.untilRun(textAt(first, '/runId'), (run) => at(run, '/status') === 'waiting');
    await trigger(id);
    await expect.poll(async () => await outcomesOf(id)).toEqual(['started', 'started']);
    const { body } = await user.get(`/api/runs/${textAt(first, '/runId')}`);
    expect(body).toMatchObject({ status: 'canceled' });
  });
});

describe('the overlap policy while a run waits for a person', () => {
  const waiting = async (id: string): Promise<string> => {
    const runId = textAt(await decided(id), '/runId');
    await user.untilRun(runId, (run) => at(run, '/status') === 'waiting');
    return runId;
  };

  test('the skipped fires of a schedule are listed while its run waits for a person', { timeout: 60_000 }, async () => {
    const id = await create({ graph: 'asked', every: '1s' });
    const codes = async () => listAt(await read(id), '/lastRuns').map((fire) => at(fire, '/code'));
    await expect.poll(codes, { timeout: 45_000 }).toContain('OVERLAP');
    expect(await startTimesOf(id)).toHaveLength(1);
    await remove(id);
  });

  test('a run that a schedule started under the overlap policy allow still blocks fires after the policy has changed', async () => {
    const id = await create({ graph: 'asked', every: SELDOM.every, overlap: 'allow' });
    const runId = await waiting(id);
    await change(id, { overlap: 'skip' });
    expect(await decided(id)).toMatchObject({ outcome: 'skipped', code: 'OVERLAP' });
    await change(id, { overlap: 'cancelOther' });
    expect(await decided(id)).toMatchObject({ outcome: 'started' });
    await user.untilRun(runId, (run) => at(run, '/status') === 'canceled');
  });

  test('the next fire of a schedule finds the waiting run although the workflow of its fire was terminated', async () => {
    const id = await create({ graph: 'asked', every: SELDOM.every });
    await waiting(id);
    const [fire = ''] = await openFires(id);
    await inTemporal(async ({ workflow }) => await workflow.getHandle(fire).terminate());
    expect(await decided(id)).toMatchObject({ outcome: 'skipped', code: 'OVERLAP' });
  });

  test('each time of a backfill becomes a run or a skipped fire although other fires cancel its runs', async () => {
    const id = await create({ graph: 'asked', every: '1h', paused: true, overlap: 'cancelOther' });
    await user.post(`/api/schedules/${id}/backfill`, { from: '2026-01-01T00:00:00Z', to: '2026-01-01T02:00:00Z' });
    const backfills = async () =>
      listAt(await read(id), '/lastRuns').filter((fire) => at(fire, '/kind') === 'backfill');
    const open = async () => (await backfills()).filter((fire) => at(fire, '/outcome') === 'pending').length;
    await expect.poll(open, { timeout: 20_000 }).toBe(2);
    await trigger(id);
    await trigger(id);
    await expect
      .poll(
        async () => {
          const runs = listAt((await user.get(`/api/runs?metadata=schedule:${id}`)).body, '/items');
          for (const run of runs.filter((one) => at(one, '/status') === 'waiting'))
            await stack.as('approver').post(`/api/runs/${textAt(run, '/id')}/approve`, {});
          return await open();
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBe(0);
    expect(await backfills()).toHaveLength(3);
  }, 90_000);
});

test('a schedule that fires each second can be triggered', async () => {
  const id = await create({ graph: 'said', every: '1s', overlap: 'allow' });
  await expect.poll(async () => (await startTimesOf(id)).length, { timeout: 20_000 }).toBeGreaterThan(1);
  const triggers = [await trigger(id), await trigger(id)].map((fire) => Date.parse(textAt(fire, '/at')));
  await change(id, { paused: true });
  await expect.poll(async () => await startTimesOf(id), { timeout: 20_000 }).toEqual(expect.arrayContaining(triggers));
  await remove(id);
});

test('a second workflow of the same fire of a schedule ends, and starts no second run', async () => {
  const id = await create({ graph: 'said', every: '1h', paused: true });
  const hour = '2026-01-01T00:00:00.000Z';
  await user.post(`/api/schedules/${id}/backfill`, { from: hour, to: hour });
  await expect.poll(async () => await outcomesOf(id)).toEqual(['started']);
  await expect.poll(async () => await openFires(id)).toEqual([]);
  await inTemporal(async ({ schedule, workflow }) => {
    const [start, end] = [new Date(hour), new Date(hour)];
    await schedule.getHandle(`schedule:demo:${id}`).backfill({ start, end, overlap: 'ALLOW_ALL' });
    const executions = async () => {
      const statuses: string[] = [];
      const query = `WorkflowId = 'fire:demo:${id}-2026-01-01T00:00:00Z'`;
      for await (const { status } of workflow.list({ query })) statuses.push(status.name);
      return statuses;
    };
    await expect.poll(executions, { timeout: 20_000 }).toEqual(['COMPLETED', 'COMPLETED']);
  });
  expect(await startTimesOf(id)).toHaveLength(1);
});

test("the workflow of a schedule's fire ends although its signal was lost", { timeout: 150_000 }, async () => {
  const id = await create({ graph: 'asked', every: SELDOM.every });
  const fire = { tenantId: 'demo', id, at: textAt(await decided(id), '/at'), outcome: 'started' } as const;
  const store = await openPostgresStore(stack.databaseUrl ?? '');
  await store.scheduleFires.close(fire);
  await store.close();
  expect(await openFires(id)).toHaveLength(1);
  await expect.poll(async () => await openFires(id), { timeout: 120_000, interval: 2_000 }).toEqual([]);
});

test('triggers of a schedule under one Idempotency-Key fire it once', async () => {
  const id = await create(SELDOM);
  const [one, other] = [
    await trigger(id, { 'idempotency-key': 'once' }),
    await trigger(id, { 'idempotency-key': 'once' }),
  ];
  expect(other).toEqual(one);
  await expect.poll(async () => await outcomesOf(id)).toEqual(['started']);
});

test('a backfill of a schedule fires each past time once, one run after the other', async () => {
  const id = await create({ graph: 'said', every: '1h', paused: true });
  const span = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T02:00:00Z' };
  const { status, body } = await user.post(`/api/schedules/${id}/backfill`, span);
  expect([status, listAt(body, '/times')]).toEqual([
    202,
    ['2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00.000Z', '2026-01-01T02:00:00.000Z'],
  ]);
  await expect.poll(async () => await outcomesOf(id)).toEqual(['started', 'started', 'started']);
  await user.post(`/api/schedules/${id}/backfill`, span);
  expect(listAt((await user.get(`/api/runs?metadata=schedule:${id}`)).body, '/items')).toHaveLength(3);
  const tooMany = await user.post(`/api/schedules/${id}/backfill`, { ...span, to: '2026-02-01T00:00:00Z' });
  expect([tooMany.status, issuePathsOf(tooMany)]).toEqual([422, ['/to']]);
});

test('the next fires of a schedule follow its time zone, also across the change to summer time', async () => {
  const noon = { graph: 'said', cron: '0 12 * * *', timeZone: 'America/Santiago', paused: true };
  const id = await create(noon);
  const times = listAt(await read(id), '/nextTimes').map(String);
  expect(times).toHaveLength(5);
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: noon.timeZone, timeStyle: 'short' });
  expect(times.map((time) => clock.format(new Date(time)))).toEqual(times.map(() => '12:00'));
  const { body } = await user.post(`/api/schedules/${await create({ ...noon, timeZone: 'Europe/Berlin' })}/backfill`, {
    from: '2026-03-28T00:00:00Z',
    to: '2026-03-30T00:00:00Z',
  });
  expect(listAt(body, '/times')).toEqual(['2026-03-28T11:00:00.000Z', '2026-03-29T10:00:00.000Z']);
});

describe('a schedule is refused', () => {
  test.each<[string, JsonObject]>([
    ['/cron', { graph: 'said', cron: '99 * * * *' }],
    ['/cron', { graph: 'said', cron: '* * * *' }],
    ['/cron', { graph: 'said' }],
    ['/cron', { graph: 'said', cron: '* * * * *', every: '1h' }],
    ['/every', { graph: 'said', every: '1ms' }],
    ['/timeZone', { ...SELDOM, timeZone: 'Mars/Olympus' }],
    ['/jitter', { ...SELDOM, jitter: '1m' }],
  ])('an invalid schedule is refused with a pointer to the field %s', async (path, terms) => {
    const ids = async () => listAt((await user.get('/api/schedules')).body, '/items').map((one) => at(one, '/id'));
    const before = await ids();
    const refused = await user.post('/api/schedules', terms);
    expect([refused.status, issuePathsOf(refused)]).toEqual([422, [path]]);
    expect(await ids()).toEqual(before);
  });

  test('a schedule for an unknown graph is refused, and a refused change leaves the schedule unchanged', async () => {
    expect(await user.post('/api/schedules', { ...SELDOM, graph: 'none' })).toMatchObject(
      aProblem(404, 'UNKNOWN_GRAPH'),
    );
    const id = await create(SELDOM);
    expect(await change(id, { cron: '99 * * * *' })).toMatchObject({ status: 422 });
    expect(await read(id)).toMatchObject({ every: SELDOM.every, cron: null });
  });
});

test('redacted input of a graph is redacted in its schedule, and a placeholder does not overwrite the input', async () => {
  const id = await create({ ...SELDOM, input: { word: 'a', secret: 'canary-17' } });
  expect(await read(id)).toMatchObject({ input: { word: 'a', secret: '[redacted]' } });
  expect((await stack.as('admin').get(`/api/schedules/${id}`)).body).toMatchObject({ input: { secret: 'canary-17' } });
  const refused = await change(id, { input: { secret: '[redacted]' } });
  expect([refused.status, issuePathsOf(refused)]).toEqual([422, ['/input/secret']]);
  await user.post('/api/graphs', said('open', { word: {}, secret: {} }));
  await change(id, { graph: 'open' });
  const { runId } = Object.fromEntries(Object.entries((await decided(id)) ?? {}));
  expect(JSON.stringify((await user.get(`/api/runs/${runId}`)).body)).not.toContain('canary-17');
});
