import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { publishGraph } from '../../../../src/api/graphs/publish-graph.ts';
import { ApiError, unavailable } from '../../../../src/api/http/errors.ts';
import { changeSchedule, createSchedule, removeSchedule } from '../../../../src/api/schedules/change-schedule.ts';
import { repairSchedule } from '../../../../src/api/schedules/sync-schedule.ts';
import { toApiSettings } from '../../../../src/config/api-settings.ts';
import { parseConfig } from '../../../../src/config/load-config.ts';
import { permissionsOf } from '../../../../src/graph/definition/index.ts';
import { toJsonObject } from '../../../../src/graph/values/index.ts';

import { createLogger } from '../../../../src/process/logger.ts';
import type { ScheduleTerms } from '../../../../src/store/schedules/schedule.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { graphJobsHere } from '../../../support/doubles/graph-jobs-here.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const caller = { tenantId: 'acme', sub: 'uma', roles: ['user'], permissions: permissionsOf(['user']) };
const graphJobs = graphJobsHere(aCatalog());
const logger = createLogger('silent');

/** The schedules in Temporal. */
const had = new Set<string>();
/** The error that Temporal returns after it has created a schedule. */
let failure: Error | null = null;
const absent = anAbsentEngine();
const schedules = {
  ...absent.schedules,
  put: async ({ id }: { readonly id: string }): Promise<void> => {
    had.add(id);
    if (failure) throw failure;
    await Promise.resolve();
  },
  remove: async ({ id }: { readonly id: string }): Promise<void> => {
    had.delete(id);
    await Promise.resolve();
  },
};
const settings = toApiSettings(parseConfig('the test', {}), {});
const deps = { store, engine: { ...absent, schedules }, catalog: aCatalog(), graphJobs, settings, logger };

beforeAll(async () => {
  await publishGraph(toJsonObject(aDefinition({ name: 'g' })), { store, graphJobs, tenantId: 'acme', by: 'uma' });
});
beforeEach(() => {
  had.clear();
  failure = null;
});

const create = async (id: string) => {
  const { graph, metadata, limits, threadId, timeZone, overlap, paused } = aSchedule(id);
  const common = { graph, input: {}, metadata, limits, threadId, timeZone, overlap, paused };
  return await createSchedule(deps, caller, id, { ...common, cron: null, every: '1h' });
};
/** Changes a schedule as `PATCH` does: omitted fields are not changed. */
const change = async (id: string, terms: Partial<Pick<ScheduleTerms, 'graph' | 'input' | 'limits' | 'paused'>>) =>
  (await changeSchedule(deps, caller, id, (schedule) => ({ ...schedule, ...terms }))).schedule;
const unsynced = async () => (await store.schedules.unsynced('2999-01-01T00:00:00Z', 100)).map(({ id }) => id);
/** Does what the sweeper does. */
const sweep = async () => {
  const all = await store.schedules.unsynced('2999-01-01T00:00:00Z', 100);
  for (const one of all) await repairSchedule(deps, one);
};
const refused = new ApiError('INVALID_REQUEST', 'Temporal does not take these times');

describe('a new schedule', () => {
  test('a new schedule whose times Temporal refuses is not created', async () => {
    failure = refused;
    await expect(create('refused')).rejects.toBe(refused);
    expect(await store.schedules.find({ tenantId: 'acme', id: 'refused' })).toBeNull();
    expect([...had]).toEqual([]);
    await sweep();
    expect([[...had], await unsynced()]).toEqual([[], []]);
  });

  test.each([new Error('lost'), unavailable('Temporal')])(
    'a new schedule is sent to Temporal again after "%s"',
    async (answer) => {
      failure = answer;
      const id = `after ${answer.message}`;
      await Promise.allSettled([create(id)]);
      expect(await store.schedules.find({ tenantId: 'acme', id })).toMatchObject({ graph: 'g' });
      expect(await unsynced()).toContain(id);
    },
  );
});

test('a repeated create request does not delete the schedule that an earlier one has created', async () => {
  await create('twice');
  failure = refused;
  await expect(create('twice')).rejects.toBe(refused);
  expect(await store.schedules.find({ tenantId: 'acme', id: 'twice' })).not.toBeNull();
  expect([...had]).toEqual(['twice']);
});

test('the sweeper deletes a Temporal schedule that another request has created after the schedule’s removal', async () => {
  await create('late');
  await removeSchedule(deps, caller, 'late');
  expect([await store.schedules.find({ tenantId: 'acme', id: 'late' }), had.has('late')]).toEqual([null, false]);
  had.add('late');
  await sweep();
  expect([had.has('late'), await unsynced()]).toEqual([false, []]);
});

describe('a schedule whose graph is gone', () => {
  const orphaned = async (id: string): Promise<void> => {
    await create(id);
    const schedule = await store.schedules.find({ tenantId: 'acme', id });
    if (schedule) await store.schedules.replace({ ...schedule, graph: 'gone', revision: schedule.revision + 1 });
  };
  const UNKNOWN = { code: 'UNKNOWN_GRAPH' };

  test('a schedule whose graph was unpublished can be paused, but not resumed', async () => {
    await orphaned('stopped');
    expect(await change('stopped', { paused: true })).toMatchObject({ paused: true, updatedBy: 'uma' });
    await expect(change('stopped', { paused: false })).rejects.toMatchObject(UNKNOWN);
    expect(await change('stopped', { paused: false, graph: 'g' })).toMatchObject({ paused: false, graph: 'g' });
  });

  test.each([{ graph: 'away' }, { input: {} }, { limits: {} }])(
    'a schedule whose graph was unpublished refuses the change %j, even while paused',
    async (terms) => {
      const id = `refused ${JSON.stringify(terms)}`;
      await orphaned(id);
      await change(id, { paused: true });
      await expect(change(id, terms)).rejects.toMatchObject(UNKNOWN);
    },
  );
});

test('a change of a schedule that keeps graph and input keeps the redaction of its input', async () => {
  await create('hidden');
  const schedule = await store.schedules.find({ tenantId: 'acme', id: 'hidden' });
  if (!schedule) throw new TypeError('There is no schedule');
  const redaction = { ...schedule.redaction, channels: ['pin'] };
  await store.schedules.replace({ ...schedule, redaction, revision: schedule.revision + 1 });
  expect(await change('hidden', { paused: true })).toMatchObject({ redaction });
});

describe('the owner of a schedule', () => {
  const as = (sub: string, role: string, tenantId = 'acme') => ({
    tenantId,
    sub,
    roles: [role],
    permissions: permissionsOf([role]),
  });
  const [UMA, BOB, ROOT, STRANGER] = [
    as('uma', 'user'),
    as('bob', 'admin'),
    as('root', 'admin', 'ops'),
    as('eve', 'user', 'other'),
  ];
  const OF_UMA = { owner: 'uma', roles: ['user'] };
  const OF_BOB = { owner: 'bob', roles: ['admin'] };
  const FORBIDDEN = { code: 'FORBIDDEN' };
  type Change = Partial<Omit<ScheduleTerms, 'cron' | 'every'>> & { readonly every?: string };

  const changedTo =
    ({ every, ...others }: Change) =>
    (before: ScheduleTerms): ScheduleTerms =>
      every === undefined ? { ...before, ...others } : { ...before, ...others, cron: null, every };

  test.each<[string, typeof UMA, Change, object]>([
    ['paused by its owner', UMA, { paused: true }, OF_UMA],
    ['paused by another', BOB, { paused: true }, OF_UMA],
    ['paused by another tenant’s admin', ROOT, { paused: true }, OF_UMA],
    ['sent its present values by another', BOB, { graph: 'g', input: {}, overlap: 'skip' }, OF_UMA],
    ['sent its present values by another tenant’s admin', ROOT, { paused: true, graph: 'g', input: {} }, OF_UMA],
    ['changed by its owner', UMA, { every: '2h' }, OF_UMA],
    ['given another graph by another', BOB, { graph: 'g@1' }, OF_BOB],
    ['given other times by another', BOB, { every: '2h' }, OF_BOB],
    ['given another time zone by another', BOB, { timeZone: 'Europe/Berlin' }, OF_BOB],
    ['given other limits by another', BOB, { limits: { maxSteps: 2 } }, OF_BOB],
    ['given other metadata by another', BOB, { metadata: { a: 1 } }, OF_BOB],
    ['put on a thread by another user', BOB, { threadId: 't' }, OF_BOB],
    ['set to cancel other runs by another user', BOB, { overlap: 'cancelOther' }, OF_BOB],
    ['paused and changed by another', BOB, { paused: true, every: '2h' }, OF_BOB],
  ])('a schedule has the right owner after it is %s', async (...[what, who, terms, wanted]) => {
    await create(what);
    const { schedule, hasNewOwner } = await changeSchedule(deps, who, what, changedTo(terms));
    expect({ schedule, hasNewOwner }).toMatchObject({ schedule: wanted, hasNewOwner: wanted === OF_BOB });
    expect(schedule).toMatchObject({ createdBy: 'uma', updatedBy: who.sub });
    const resumed = await changeSchedule(deps, ROOT, what, (before) => ({ ...before, paused: false }));
    expect(resumed.schedule).toMatchObject({ ...wanted, updatedBy: 'root' });
  });

  test.each<[string, typeof UMA, Change, object]>([
    ['given another graph by another tenant’s admin', ROOT, { graph: 'g@1' }, FORBIDDEN],
    ['given other times by another tenant’s admin', ROOT, { every: '2h', paused: true }, FORBIDDEN],
    ['paused by a user without the permission', STRANGER, { paused: true }, { code: 'NOT_FOUND' }],
  ])('a forbidden change leaves a schedule unchanged: it is %s', async (...[what, who, terms, problem]) => {
    await create(what);
    await expect(changeSchedule(deps, who, what, changedTo(terms))).rejects.toMatchObject(problem);
    expect(await store.schedules.find({ tenantId: 'acme', id: what })).toMatchObject({ ...OF_UMA, updatedBy: 'uma' });
  });

  test('a user who may not cancel runs can pause a schedule that cancels them, without becoming its owner', async () => {
    const starter = { ...BOB, permissions: new Set(['run:start'] as const) };
    await create('cancels');
    const cancels = (before: ScheduleTerms): ScheduleTerms => ({ ...before, overlap: 'cancelOther' });
    await changeSchedule(deps, UMA, 'cancels', cancels);
    const paused = (before: ScheduleTerms): ScheduleTerms => ({ ...before, paused: true });
    expect((await changeSchedule(deps, starter, 'cancels', paused)).schedule).toMatchObject(OF_UMA);
    const other = (before: ScheduleTerms): ScheduleTerms => ({ ...before, threadId: 't' });
    await expect(changeSchedule(deps, starter, 'cancels', other)).rejects.toMatchObject(FORBIDDEN);
  });
});
