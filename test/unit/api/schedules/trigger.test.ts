import { decodeTime, ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { trigger } from '../../../../src/api/schedules/trigger.ts';
import type { Schedule } from '../../../../src/store/schedules/schedule.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { turnDeps } from '../../../support/doubles/turn-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const deps = turnDeps(store);

async function created(id: string): Promise<Schedule> {
  const schedule = aSchedule(id);
  await store.schedules.create(schedule, 10);
  return schedule;
}

describe('triggers of one millisecond', () => {
  const MOMENT = Date.UTC(2026, 0, 1, 0, 0, 0, 999);
  const [one, other] = [ulid(MOMENT), ulid(MOMENT)];

  test('take moments of their own, none of which is a whole second', async () => {
    const schedule = await created('together');
    const ticks = await Promise.all([trigger(deps, schedule, one), trigger(deps, schedule, other)]);
    expect(ticks.map(({ runId }) => runId)).toEqual([one, other]);
    expect(new Set(ticks.map(({ at }) => at))).toEqual(
      new Set(['2026-01-01T00:00:00.999Z', '2026-01-01T00:00:01.001Z']),
    );
  });

  test('take the same moment again when they are repeated', async () => {
    const schedule = await created('repeated');
    await trigger(deps, schedule, one);
    const tick = await trigger(deps, schedule, other);
    expect(await trigger(deps, schedule, other)).toEqual(tick);
    expect((await store.scheduleTicks.latest([schedule], 10)).get('repeated')).toHaveLength(2);
  });
});

test('a trigger is refused while all moments after it are taken', async () => {
  const schedule = await created('crowded');
  const runId = ulid();
  const moments = Array.from({ length: 200 }, (_, index) => new Date(decodeTime(runId) + index).toISOString());
  const ticks = moments.map((at, index) => ({ at, kind: 'trigger' as const, runId: `taken-${index}` }));
  await store.scheduleTicks.take(schedule, ticks);
  await expect(trigger(deps, schedule, runId)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a trigger finds no deleted schedule', async () => {
  const schedule = await created('deleted');
  await store.schedules.remove(schedule);
  await expect(trigger(deps, schedule, ulid())).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

describe('a trigger that was taken is answered as it stands', () => {
  test('while the quota of its tenant is used up', async () => {
    const schedule = await created('closed');
    const closed = turnDeps(store, { tenants: { acme: { runsPerMinute: 0 } } });
    const runId = ulid();
    expect(await trigger(closed, schedule, runId)).toMatchObject({ outcome: 'pending', runId });
  });

  test('when the turn after it fails', async () => {
    const schedule = await created('failing');
    const claim = async (): Promise<never> => await Promise.reject(new Error('The database is away'));
    const failing = { ...store, scheduleTicks: { ...store.scheduleTicks, claim } };
    expect(await trigger({ ...deps, store: failing }, schedule, ulid())).toMatchObject({ outcome: 'pending' });
  });
});
