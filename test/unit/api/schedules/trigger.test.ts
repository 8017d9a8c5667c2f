import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../../src/api/http/errors.ts';
import { trigger } from '../../../../src/api/schedules/trigger.ts';
import type { TimedSchedules } from '../../../../src/api/temporal/timed-schedules.ts';
import type { Schedule } from '../../../../src/store/schedules/schedule.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { fireDeps } from '../../../support/doubles/fire-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const absent = anAbsentEngine();

/** An engine whose Temporal skips each fire because another one is active. */
const depsWith = (over: Partial<TimedSchedules> = {}) => {
  const schedules: TimedSchedules = {
    ...absent.schedules,
    trigger: async () => await Promise.resolve(true as const),
    mayFire: async () => await Promise.resolve(false),
    ...over,
  };
  return { ...fireDeps(store), engine: anAbsentEngine({ schedules }) };
};

const fireAt = (scheduleId: string, at: string) => ({
  tenantId: 'acme',
  scheduleId,
  at,
  workflowId: `fire:${scheduleId}-${at}`,
});

/** A schedule with one pending fire. */
async function created(id: string): Promise<Schedule> {
  const schedule = aSchedule(id);
  await store.schedules.create(schedule, 100);
  await store.scheduleFires.open(fireAt(id, '2025-01-01T00:00:00.000Z'), `busy-${id}`);
  return schedule;
}

const MOMENT = Date.UTC(2026, 0, 1, 0, 0, 9, 999);
const pick = ({ at, outcome, code }: { at: string; outcome: string; code: string | null }) => ({ at, outcome, code });

test('a trigger that Temporal skips is answered as skipped', async () => {
  expect(pick(await trigger(depsWith(), await created('skipped'), ulid(MOMENT)))).toEqual({
    at: '2026-01-01T00:00:09.000Z',
    outcome: 'skipped',
    code: 'OVERLAP',
  });
});

test('triggers of the same second use different seconds, and a repeated trigger uses the same one again', async () => {
  const schedule = await created('together');
  const [one, other] = [ulid(MOMENT), ulid(MOMENT)];
  const first = await trigger(depsWith(), schedule, one);
  const second = await trigger(depsWith(), schedule, other);
  expect([first.at, second.at]).toEqual(['2026-01-01T00:00:09.000Z', '2026-01-01T00:00:08.000Z']);
  expect(await trigger(depsWith(), schedule, other)).toEqual(second);
  expect((await store.scheduleFires.latest([schedule], 10)).get('together')).toHaveLength(3);
});

test('a trigger that a worker handles is answered with its result', async () => {
  const schedule = await created('taken');
  const deps = depsWith({
    trigger: async (_, { at }) => {
      const fire = fireAt('taken', at);
      await store.scheduleFires.open(fire, 'another-run');
      await store.scheduleFires.decide(fire, { outcome: 'failed', code: 'UNKNOWN_GRAPH' });
      return true;
    },
  });
  const runId = ulid();
  expect(await trigger(deps, schedule, runId)).toMatchObject({ kind: 'trigger', outcome: 'failed', runId });
});

test('a trigger is sent again if Temporal has skipped it although the previous run has ended', async () => {
  const schedule = await created('behind');
  const before = fireAt('behind', '2025-01-01T00:00:00.000Z');
  await store.scheduleFires.decide(before, { outcome: 'failed' });
  const ids: string[] = [];
  const deps = depsWith({
    trigger: async (_, { at, requestId }) => {
      ids.push(requestId);
      if (ids.length === 1) return true;
      await store.scheduleFires.open(fireAt('behind', at), 'another-run');
      await store.scheduleFires.decide(fireAt('behind', at), { outcome: 'started' });
      return true;
    },
  });
  const runId = ulid(MOMENT);
  expect(await trigger(deps, schedule, runId)).toMatchObject({ outcome: 'started', runId });
  expect([ids[0], new Set(ids).size]).toEqual([runId, 2]);
});

test('a trigger is refused while all earlier seconds in reach are used', async () => {
  const schedule = await created('crowded');
  const fires = Array.from({ length: 100 }, (_, index) => ({
    at: new Date(MOMENT - 999 - index * 1_000).toISOString(),
    kind: 'trigger' as const,
    runId: `taken-${index}`,
  }));
  await store.scheduleFires.request(schedule, fires);
  await expect(trigger(depsWith(), schedule, ulid(MOMENT))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a trigger finds no deleted schedule', async () => {
  const schedule = await created('deleted');
  await store.schedules.remove(schedule);
  await expect(trigger(depsWith(), schedule, ulid())).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

describe('a trigger is refused and may be repeated', () => {
  test('a trigger is refused while Temporal is unavailable', async () => {
    const away = depsWith({ trigger: async () => await Promise.reject(unavailable('Temporal')) });
    const schedule = await created('away');
    const runId = ulid(MOMENT);
    await expect(trigger(away, schedule, runId)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await trigger(depsWith(), schedule, runId)).toMatchObject({ runId });
  });

  test('a trigger is refused while the schedule is missing in Temporal', async () => {
    const schedule = await created('lost');
    await store.schedules.markSynced(schedule, 1);
    const lost = depsWith({ trigger: async () => await Promise.resolve(null) });
    await expect(trigger(lost, schedule, ulid())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await store.schedules.unsynced('2999-01-01T00:00:00Z', 100)).toContainEqual(
      expect.objectContaining({ id: 'lost' }),
    );
  });
});
