import { beforeAll, describe, expect, test } from 'vitest';
import { publishGraph } from '../../../../src/api/graphs/publish-graph.ts';
import { decideFire } from '../../../../src/api/schedules/decide-fire.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import { toJsonObject } from '../../../../src/graph/values/index.ts';
import type { FireKind, Overlap, Schedule } from '../../../../src/store/schedules/schedule.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { aNewRun } from '../../../support/builders/store-builders.ts';
import { fireDeps } from '../../../support/doubles/fire-deps.ts';
import { graphJobsHere } from '../../../support/doubles/graph-jobs-here.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const FULL: ConfigInput = { tenants: { acme: { runsPerMinute: 0 } } };
const STARTER: ConfigInput = { roles: { starter: ['run:start'] } };

let runs = 0;
type Over = Partial<Pick<Schedule, 'tenantId' | 'graph' | 'metadata' | 'overlap' | 'paused' | 'roles'>>;

async function decide(kind: FireKind, over: Over = {}, config: ConfigInput = {}) {
  runs += 1;
  const fire = { at: '2026-01-01T01:00:00.000Z', kind, runId: `R${runs}` };
  const schedule = { ...aSchedule('hourly'), input: {}, ...over };
  const result = await decideFire(fireDeps(store, config), schedule, fire);
  return { result, run: await store.runs.find(fire.runId) };
}

beforeAll(async () => {
  const of = { store, graphJobs: graphJobsHere(aCatalog()), tenantId: 'acme', by: 'uma' };
  for (const name of ['g', 'off']) await publishGraph(toJsonObject(aDefinition({ name })), of);
  const change = { changedAt: '2026-01-01T00:00:00.000Z', changedBy: 'ada' };
  const suspended = { reason: 'Unpaid', since: change.changedAt };
  await store.tenantTerms.put({ tenantId: 'idle', quota: {}, suspended, ...change }, 10);
});

test('a fire starts its run as the owner of the schedule, also while Temporal is unavailable', async () => {
  const { result, run } = await decide('time', { metadata: { team: 'a' } });
  expect(result).toEqual({ outcome: 'started' });
  expect(run).toMatchObject({
    createdBy: 'uma',
    metadata: { team: 'a', schedule: 'hourly', scheduledAt: '2026-01-01T01:00:00.000Z' },
  });
});

describe.each<FireKind>(['time', 'trigger', 'backfill'])('a %s is refused at once', (kind) => {
  test.each<[string, Over, ConfigInput]>([
    ['QUOTA_REACHED', {}, FULL],
    ['TENANT_SUSPENDED', { tenantId: 'idle' }, {}],
  ])('a fire is refused with %s, and no run is queued', async (code, schedule, config) => {
    const { result, run } = await decide(kind, schedule, config);
    expect([result, run]).toMatchObject([{ outcome: 'skipped', code }, null]);
  });
});

test('a fire whose graph is gone fails', async () => {
  expect(await decide('time', { graph: 'gone' })).toMatchObject({
    result: { outcome: 'failed', code: 'UNKNOWN_GRAPH' },
  });
});

test.each<[FireKind, string | undefined]>([
  ['time', 'PAUSED'],
  ['trigger', undefined],
  ['backfill', undefined],
])('the code of a %s of a paused schedule is %s', async (kind, code) => {
  expect((await decide(kind, { paused: true })).result.code).toBe(code);
});

describe('the roles of the owner', () => {
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
    'with the configuration %j, the role %s and %j, a fire ends with the code %s',
    async (config, role, [overlap, kind], code) => {
      expect((await decide(kind, { overlap, roles: [role] }, config)).result.code).toBe(code);
    },
  );
});

test.each<[string, Over, ConfigInput]>([
  ['the schedule is paused', { paused: true }, {}],
  ['the quota is used up', {}, FULL],
  ['the owner may start no runs', { roles: [] }, {}],
])('a run that was accepted before counts as started, also when %s', async (_, schedule, config) => {
  await store.runs.create(aNewRun({ id: `R${runs + 1}` }));
  expect((await decide('time', schedule, config)).result).toEqual({ outcome: 'started' });
});
