import { beforeAll, describe, expect, test } from 'vitest';
import { publishGraph } from '../../../../src/api/graphs/publish-graph.ts';
import { decideFire } from '../../../../src/api/schedules/decide-fire.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import { toJsonObject } from '../../../../src/graph/values/index.ts';
import type { FireKind, Overlap } from '../../../../src/store/schedules/schedule.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { aDueFire, anOpenedFire, createSchedule, startFire } from '../../../support/builders/fires.ts';
import type { ScheduleOver } from '../../../support/builders/fires.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { aNewRun, endRun } from '../../../support/builders/store-builders.ts';
import { aFakeTemporal } from '../../../support/doubles/fake-temporal.ts';
import { fireDeps } from '../../../support/doubles/fire-deps.ts';
import { graphJobsHere } from '../../../support/doubles/graph-jobs-here.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const FULL: ConfigInput = { tenants: { acme: { runsPerMinute: 0 } } };
const STARTER: ConfigInput = { roles: { starter: ['run:start'] } };

let runs = 0;
const nextRunId = (): string => `R${(runs += 1)}`;

/** Decides about a fire of a schedule that has no other runs. */
async function decide(kind: FireKind, over: ScheduleOver = {}, config: ConfigInput = {}) {
  const fire = aDueFire({ kind, runId: nextRunId() });
  const schedule = { ...aSchedule('hourly'), input: {}, ...over };
  const result = await decideFire(fireDeps(store, config), schedule, fire);
  return { result, run: await store.runs.find(fire.runId) };
}

beforeAll(async () => {
  const of = { store, graphJobs: graphJobsHere(aCatalog()), tenantId: 'acme', by: 'uma' };
  await publishGraph(toJsonObject(aDefinition({ name: 'g' })), of);
  const change = { changedAt: '2026-01-01T00:00:00.000Z', changedBy: 'ada' };
  const suspended = { reason: 'Unpaid', since: change.changedAt };
  await store.tenantTerms.put({ tenantId: 'idle', quota: {}, suspended, ...change }, 10);
});

test('a schedule’s fire starts its run as the owner of the schedule, even while Temporal is unavailable', async () => {
  const { result, run } = await decide('time', { metadata: { team: 'a' } });
  expect(result).toEqual({ outcome: 'started' });
  expect(run).toMatchObject({
    createdBy: 'uma',
    metadata: { team: 'a', schedule: 'hourly', scheduledAt: '2026-01-01T01:00:00.000Z' },
  });
});

const WAITS = null;

test.each<[FireKind, string, ScheduleOver, ConfigInput, object | null]>([
  ['time', 'a used-up quota', {}, FULL, { outcome: 'skipped', code: 'QUOTA_REACHED' }],
  ['trigger', 'a used-up quota', {}, FULL, WAITS],
  ['backfill', 'a used-up quota', {}, FULL, WAITS],
  ['time', 'a suspension', { tenantId: 'idle' }, {}, { outcome: 'skipped', code: 'TENANT_SUSPENDED' }],
  ['trigger', 'a suspension', { tenantId: 'idle' }, {}, { outcome: 'failed', code: 'TENANT_SUSPENDED' }],
  ['backfill', 'a suspension', { tenantId: 'idle' }, {}, WAITS],
])('a schedule’s fire of kind %s during %s starts no run', async (...[kind, , schedule, config, wanted]) => {
  const { result, run } = await decide(kind, schedule, config);
  expect(run).toBeNull();
  expect(result && { outcome: result.outcome, code: result.code }).toEqual(wanted);
});

test('a schedule’s fire fails if its graph was unpublished', async () => {
  const { result } = await decide('time', { graph: 'gone' });
  expect(result).toMatchObject({ outcome: 'failed', code: 'UNKNOWN_GRAPH' });
});

test.each<[FireKind, string | undefined]>([
  ['time', 'PAUSED'],
  ['trigger', undefined],
  ['backfill', undefined],
])('a fire of kind %s of a paused schedule has the code %s', async (kind, code) => {
  expect((await decide(kind, { paused: true })).result?.code).toBe(code);
});

test.each<[ConfigInput, string, readonly [Overlap, FireKind], string | undefined]>([
  [{}, 'user', ['skip', 'time'], undefined],
  [{}, 'user', ['cancelOther', 'time'], undefined],
  [{ roles: { user: ['run:read'] } }, 'user', ['skip', 'trigger'], 'FORBIDDEN'],
  [{}, 'starter', ['skip', 'backfill'], 'FORBIDDEN'],
  [STARTER, 'starter', ['skip', 'time'], undefined],
  [STARTER, 'starter', ['cancelOther', 'time'], 'FORBIDDEN'],
  [STARTER, 'starter', ['cancelOther', 'trigger'], 'FORBIDDEN'],
  [STARTER, 'starter', ['cancelOther', 'backfill'], undefined],
])(
  'with the roles %j, a schedule’s fire for an owner of the role %s, with %j, ends with the code %s',
  async (...row) => {
    const [config, role, [overlap, kind], code] = row;
    expect((await decide(kind, { overlap, roles: [role] }, config)).result?.code).toBe(code);
  },
);

test.each<[string, ScheduleOver, ConfigInput]>([
  ['the schedule is paused', { paused: true }, {}],
  ['the quota is used up', {}, FULL],
  ['the owner is not allowed to start runs', { roles: [] }, {}],
])('a schedule’s fire whose run was accepted before has started although %s', async (_, schedule, config) => {
  await store.runs.create(aNewRun({ id: `R${runs + 1}` }));
  expect((await decide('time', schedule, config)).result).toEqual({ outcome: 'started' });
});

test('a schedule’s pending fire whose workflow was canceled starts no run', async () => {
  const fire = aDueFire({ runId: nextRunId(), isCanceled: true });
  const schedule = { ...aSchedule('hourly'), input: {} };
  expect(await decideFire(fireDeps(store), schedule, fire)).toMatchObject({ outcome: 'skipped', code: 'OVERLAP' });
  expect(await store.runs.find(fire.runId)).toBeNull();
});

describe('a fire beside a run of an earlier policy', () => {
  let schedules = 0;
  async function decideBeside(overlap: Overlap, kind: FireKind, config: ConfigInput = {}) {
    const schedule = await createSchedule(store, `changed-${(schedules += 1)}`, { overlap });
    const runId = `beside-${schedule.id}`;
    await startFire(store, schedule, '2026-01-01T00:00:00.000Z', runId);
    const temporal = aFakeTemporal();
    const deps = { ...fireDeps(store, config), engine: temporal.engine };
    const decideAgain = async () =>
      await decideFire(deps, schedule, aDueFire({ id: schedule.id, kind, runId: nextRunId() }));
    return { result: await decideAgain(), decideAgain, canceled: temporal.canceled, runId };
  }

  test.each<[Overlap, FireKind, string]>([
    ['skip', 'time', 'skipped'],
    ['skip', 'trigger', 'skipped'],
    ['skip', 'backfill', 'waits'],
    ['buffer', 'time', 'waits'],
    ['cancelOther', 'time', 'waits'],
    ['cancelOther', 'backfill', 'waits'],
    ['allow', 'time', 'started'],
  ])(
    'next to a run of an earlier policy, a schedule’s fire of policy %s and kind %s is %s',
    async (overlap, kind, wanted) => {
      const { result } = await decideBeside(overlap, kind);
      expect(result?.outcome ?? 'waits').toBe(wanted);
    },
  );

  test('next to a run of an earlier policy, a fire of the policy `cancelOther` cancels the run and starts after its end', async () => {
    const { canceled, runId, decideAgain } = await decideBeside('cancelOther', 'time');
    expect(canceled).toEqual([runId]);
    await endRun(store, { id: runId });
    expect(await decideAgain()).toEqual({ outcome: 'started' });
  });

  test('next to a run of an earlier policy, a fire of `cancelOther` cancels no run while a quota is used up', async () => {
    expect((await decideBeside('cancelOther', 'trigger', FULL)).canceled).toEqual([]);
  });
});

describe('beside a fire that waits for a quota since before its policy changed, a fire', () => {
  let schedules = 0;
  test.each<[Overlap, FireKind, string]>([
    ['skip', 'time', 'waits'],
    ['buffer', 'time', 'waits'],
    ['cancelOther', 'time', 'waits'],
    ['skip', 'backfill', 'waits'],
    ['allow', 'time', 'started'],
  ])(
    'a fire of overlap %s and kind %s beside a waiting one is %s, and the waiting one starts',
    async (overlap, kind, wanted) => {
      const schedule = await createSchedule(store, `together-${(schedules += 1)}`, { overlap });
      const times = ['2026-01-01T01:00:00.000Z', '2026-01-01T02:00:00.000Z'] as const;
      for (const at of times) await store.scheduleFires.open(anOpenedFire(schedule, at, nextRunId()));
      const [first, second] = times.map((at) =>
        aDueFire({ id: schedule.id, at, openedAt: at, kind, runId: nextRunId() }),
      );
      if (!first || !second) throw new TypeError('There are two fires');
      const deps = { ...fireDeps(store), engine: aFakeTemporal().engine };
      expect((await decideFire(deps, schedule, second))?.outcome ?? 'waits').toBe(wanted);
      expect(await decideFire(deps, schedule, first)).toEqual({ outcome: 'started' });
    },
  );
});
