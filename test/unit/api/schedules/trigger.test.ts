import { ulid } from 'ulid';
import { beforeEach, describe, expect, test } from 'vitest';
import { trigger } from '../../../../src/api/schedules/trigger.ts';
import { anOpenedFire, createSchedule, makeDue, startFire } from '../../../support/builders/fires.ts';
import { aFakeTemporal } from '../../../support/doubles/fake-temporal.ts';
import type { FakeTemporal } from '../../../support/doubles/fake-temporal.ts';
import { fireDeps } from '../../../support/doubles/fire-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
let temporal: FakeTemporal;
beforeEach(() => {
  temporal = aFakeTemporal();
});
const deps = () => ({ ...fireDeps(store), engine: temporal.engine });

/** Each test takes two seconds in which Temporal starts no workflow. */
const MOMENT = Date.UTC(2026, 0, 1, 0, 0, 9, 999);
const SECONDS = ['2026-01-01T00:00:09.001Z', '2026-01-01T00:00:10.001Z'];

test('triggers of a schedule in one millisecond get different seconds, and the same ones when they are repeated', async () => {
  const schedule = await createSchedule(store, 'together');
  const [one, other] = [ulid(MOMENT), ulid(MOMENT)];
  temporal.state = 'open';
  const fires = [await trigger(deps(), schedule, one), await trigger(deps(), schedule, other)];
  expect(fires.map(({ at, runId }) => [at, runId])).toEqual([
    [SECONDS[0], one],
    [SECONDS[1], other],
  ]);
  expect(await trigger(deps(), schedule, other)).toEqual(fires[1]);
});

test('a schedule that fires each second can be triggered', async () => {
  const schedule = await createSchedule(store, 'each-second');
  const times = Array.from({ length: 300 }, (_, index) => new Date(MOMENT - 999 + (index - 150) * 1_000).toISOString());
  for (const at of times) await store.scheduleFires.open(anOpenedFire(schedule, at, `run-${at}`));
  temporal.isAway = true;
  expect(await trigger(deps(), schedule, ulid(MOMENT))).toMatchObject({ kind: 'trigger', at: SECONDS[0] });
});

test('a trigger of a schedule returns the result of its fire', async () => {
  const schedule = await createSchedule(store, 'taken');
  temporal.onTrigger = async (at) =>
    void (await store.scheduleFires.open({ ...anOpenedFire(schedule, at, 'another-run') }));
  const runId = ulid();
  expect(await trigger(deps(), schedule, runId)).toMatchObject({ outcome: 'failed', code: 'UNKNOWN_GRAPH', runId });
});

test('a repeated trigger of a `cancelOther` schedule neither fires again nor cancels its own run', async () => {
  const schedule = await createSchedule(store, 'repeated', { overlap: 'cancelOther' });
  const runId = ulid(MOMENT);
  temporal.onTrigger = async (at) => await startFire(store, schedule, at, runId);
  const first = await trigger(deps(), schedule, runId);
  expect(first).toMatchObject({ outcome: 'started', runId });
  await makeDue(store, schedule, first.at);
  expect(await trigger(deps(), schedule, runId)).toEqual(first);
  expect([temporal.triggered.length, temporal.canceled]).toEqual([1, []]);
});

test('concurrent repetitions of a schedule’s trigger send one request to Temporal', async () => {
  const schedule = await createSchedule(store, 'concurrent', { overlap: 'cancelOther' });
  const runId = ulid(MOMENT);
  temporal.onTrigger = async (at) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await startFire(store, schedule, at, runId);
  };
  const fires = await Promise.all([1, 2, 3].map(async () => await trigger(deps(), schedule, runId)));
  expect(fires.map(({ outcome }) => outcome)).toEqual(['started', 'started', 'started']);
  expect(temporal.triggered.length).toBe(1);
});

test('a trigger of a schedule is refused while all seconds after it have triggers', async () => {
  const schedule = await createSchedule(store, 'crowded');
  const fires = Array.from({ length: 100 }, (_, index) => ({
    at: new Date(MOMENT - 998 + index * 1_000).toISOString(),
    kind: 'trigger' as const,
    runId: `taken-${index}`,
  }));
  await store.scheduleFires.request(schedule, fires, 60_000);
  await expect(trigger(deps(), schedule, ulid(MOMENT))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a deleted schedule can not be triggered', async () => {
  const schedule = await createSchedule(store, 'deleted');
  await store.schedules.remove(schedule);
  await expect(trigger(deps(), schedule, ulid())).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

describe('a recorded trigger', () => {
  test('a recorded trigger of a schedule is pending while Temporal is unavailable', async () => {
    const schedule = await createSchedule(store, 'away');
    temporal.isAway = true;
    const runId = ulid();
    expect(await trigger(deps(), schedule, runId)).toMatchObject({ outcome: 'pending', runId });
  });

  test('a recorded trigger of a schedule stays pending when the store fails after the record', async () => {
    const schedule = await createSchedule(store, 'failing');
    const claim = async (): Promise<never> => await Promise.reject(new Error('The database is away'));
    const failing = { ...store, scheduleFires: { ...store.scheduleFires, claim } };
    expect(await trigger({ ...deps(), store: failing }, schedule, ulid())).toMatchObject({ outcome: 'pending' });
  });
});
