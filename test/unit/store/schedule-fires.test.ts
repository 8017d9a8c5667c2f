import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Fire, FireResult, Overlap } from '../../../src/store/schedules/schedule.ts';
import { anOpenedFire, createSchedule, makeDue, startFire } from '../../support/builders/fires.ts';
import { endRun } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const { scheduleFires } = store;
afterEach(() => vi.useRealTimers());

const timeAt = (hour: number): string => `2026-01-01T0${hour}:00:00.000Z`;
const fireAt = (hour: number, kind: Fire['kind'] = 'trigger'): Fire => ({
  at: timeAt(hour),
  kind,
  runId: `run-${hour}`,
});
const OVERLAPPED: FireResult = { outcome: 'skipped', code: 'OVERLAP', message: 'busy' };

test('a schedule’s time is requested once, and no time of a deleted schedule is', async () => {
  const schedule = await createSchedule(store, 'requested');
  expect(await scheduleFires.request(schedule, [fireAt(2), fireAt(1)], 0)).toEqual([timeAt(1), timeAt(2)]);
  expect(await scheduleFires.request(schedule, [{ ...fireAt(1), runId: 'another' }], 0)).toEqual([]);
  expect(await scheduleFires.find({ ...schedule, at: timeAt(1) })).toMatchObject({ runId: 'run-1' });
  await store.schedules.remove(schedule);
  expect(await scheduleFires.request(schedule, [fireAt(3)], 0)).toEqual([]);
  expect(await scheduleFires.open(anOpenedFire(schedule, timeAt(3), 'run-3'))).toBe(false);
});

describe('the workflow of a fire', () => {
  test('the workflow of a schedule’s fire finds the run of its time again', async () => {
    const schedule = await createSchedule(store, 'reopened');
    for (const runId of ['first', 'second'])
      expect(await scheduleFires.open(anOpenedFire(schedule, timeAt(1), runId))).toBe(true);
    expect(await scheduleFires.find({ ...schedule, at: timeAt(1) })).toMatchObject({ kind: 'time', runId: 'first' });
  });

  test('the workflow of a schedule’s fire has nothing to wait for when the fire is closed, also in a second execution', async () => {
    const schedule = await createSchedule(store, 'closed');
    const fire = anOpenedFire(schedule, timeAt(1), 'first');
    await scheduleFires.open(fire);
    await scheduleFires.close({ ...fire, outcome: 'pending' });
    expect(await scheduleFires.open({ ...fire, runId: 'second' })).toBe(false);
  });

  test('the workflow of a schedule’s fire has a pending fire although the time was recorded as skipped', async () => {
    const schedule = await createSchedule(store, 'skipped');
    await scheduleFires.skip(schedule, [fireAt(1, 'time')], OVERLAPPED);
    expect(await scheduleFires.open(anOpenedFire(schedule, timeAt(1), 'another'))).toBe(true);
    expect(await scheduleFires.find({ ...schedule, at: timeAt(1) })).toMatchObject({ outcome: 'pending', code: null });
    expect(await scheduleFires.claim('other', 10, schedule)).toHaveLength(1);
  });

  test.each<Overlap>(['skip', 'buffer', 'allow', 'cancelOther'])(
    'a schedule’s fire that no worker has taken in time is lost for %s, unless a person has requested it',
    async (overlap) => {
      const schedule = await createSchedule(store, `late-${overlap}`, { overlap });
      await scheduleFires.request(schedule, [fireAt(2)], 0);
      const late = [1, 2].map((hour) => ({ ...anOpenedFire(schedule, timeAt(hour), 'late'), isLate: true }));
      for (const _ of [1, 2])
        expect(await Promise.all(late.map(async (fire) => await scheduleFires.open(fire)))).toEqual([false, true]);
      const missed = await scheduleFires.find({ ...schedule, at: timeAt(1) });
      expect(missed).toMatchObject({ kind: 'time', outcome: 'skipped', code: 'MISSED' });
    },
  );
});

describe('a claim', () => {
  test('a claim of a schedule’s fire is made by one process, and has what is known at that moment', async () => {
    const schedule = await createSchedule(store, 'claimed');
    await scheduleFires.request(schedule, [fireAt(1)], 0);
    const claims = await Promise.all([
      scheduleFires.claim('other', 10, schedule),
      scheduleFires.claim('other', 10, schedule),
    ]);
    expect(claims.flat()).toMatchObject([{ ...fireAt(1), isSent: false, isCanceled: false, openedAt: null }]);
    await scheduleFires.markSent(schedule, [timeAt(1)]);
    await makeDue(store, schedule, timeAt(1));
    expect(await scheduleFires.claim('other', 10, schedule)).toMatchObject([{ isSent: true, openedAt: null }]);
    await scheduleFires.open({ ...anOpenedFire(schedule, timeAt(1), 'another'), isCanceled: true });
    expect(await scheduleFires.claim('other', 10, schedule)).toMatchObject([
      { openedAt: timeAt(1), isCanceled: true, outcome: 'pending', runId: 'run-1' },
    ]);
  });

  test('a claim of a schedule’s fire ends without a result if Temporal cancels the fire during the claim', async () => {
    const schedule = await createSchedule(store, 'canceled');
    const opened = anOpenedFire(schedule, timeAt(1), 'run-1');
    await scheduleFires.open(opened);
    const [claimed] = await scheduleFires.claim('other', 10, schedule);
    await scheduleFires.open({ ...opened, isCanceled: true });
    if (!claimed) throw new TypeError('No fire is due');
    await scheduleFires.settle(claimed, OVERLAPPED);
    await scheduleFires.postpone(claimed, 60_000);
    expect(await scheduleFires.claim('other', 10, schedule)).toMatchObject([{ outcome: 'pending', isCanceled: true }]);
  });

  test.each<[string, FireResult | null]>([
    ['is still pending', null],
    ['was skipped by a later claim', OVERLAPPED],
    ['failed in a later claim', { outcome: 'failed', code: 'FORBIDDEN', message: 'no' }],
  ])(
    'a run that starts during a claim is to be canceled if Temporal cancels its fire, which %s',
    async (name, later) => {
      const schedule = await createSchedule(store, `raced ${name}`);
      const opened = anOpenedFire(schedule, timeAt(1), 'run-1');
      await scheduleFires.open(opened);
      const [claimed] = await scheduleFires.claim('other', 10, schedule);
      if (!claimed) throw new TypeError('No fire is due');
      await scheduleFires.open({ ...opened, isCanceled: true });
      if (later) {
        const [again] = await scheduleFires.claim('other', 10, schedule);
        if (!again) throw new TypeError('The canceled fire is not due');
        await scheduleFires.settle(again, later);
        await scheduleFires.close({ ...again, outcome: later.outcome });
      }
      await scheduleFires.settle(claimed, { outcome: 'started' });
      expect(await scheduleFires.find(opened)).toMatchObject({ outcome: 'started', code: null, message: null });
      expect(await scheduleFires.claim('cancel', 10, schedule)).toMatchObject([{ runId: 'run-1', isCanceled: true }]);
    },
  );

  test('a claim does not record a schedule’s fire as skipped if Temporal opens the fire during the claim', async () => {
    const schedule = await createSchedule(store, 'opened');
    await scheduleFires.request(schedule, [fireAt(1)], 0);
    const [claimed] = await scheduleFires.claim('other', 10, schedule);
    await scheduleFires.open(anOpenedFire(schedule, timeAt(1), 'another'));
    if (!claimed) throw new TypeError('No fire is due');
    await scheduleFires.settle(claimed, OVERLAPPED);
    expect(await scheduleFires.claim('other', 10, schedule)).toMatchObject([
      { openedAt: timeAt(1), outcome: 'pending' },
    ]);
  });

  test.each([-86_400_000, 86_400_000])(
    'a claim of a schedule’s fire does not depend on the clock of its process, which is off by %i ms',
    async (ms) => {
      const schedule = await createSchedule(store, `clock${ms}`);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
      await scheduleFires.request(schedule, [fireAt(1)], 0);
      expect(await scheduleFires.claim('other', 10, schedule)).toHaveLength(1);
      expect(await scheduleFires.claim('other', 10, schedule)).toEqual([]);
    },
  );

  test('claims take schedules’ fires of all tenants in turns', async () => {
    const many = await createSchedule(store, 'many', { tenantId: 'many' });
    await scheduleFires.request(
      many,
      [1, 2, 3].map((hour) => fireAt(hour)),
      0,
    );
    const single = await createSchedule(store, 'single', { tenantId: 'single' });
    await scheduleFires.request(single, [fireAt(4)], 0);
    await scheduleFires.claim('other', 100);
    for (const hour of [1, 2, 3, 4]) await makeDue(store, hour < 4 ? many : single, timeAt(hour));
    expect(await scheduleFires.claim('other', 2)).toEqual([]);
    await scheduleFires.request(
      many,
      [5, 6, 7].map((hour) => fireAt(hour)),
      0,
    );
    await scheduleFires.request(single, [fireAt(8)], 0);
    expect((await scheduleFires.claim('other', 2)).map(({ id }) => id).toSorted()).toEqual(['many', 'single']);
  });
});

test('for a schedule’s fire, the other active fires are those that are pending or whose runs have not ended', async () => {
  const schedule = await createSchedule(store, 'busy');
  const own = { ...schedule, at: timeAt(1) };
  const active = async () => await scheduleFires.activeBeside(own);
  await startFire(store, schedule, timeAt(1), 'own');
  expect(await active()).toEqual([]);
  await startFire(store, schedule, timeAt(2), 'beside');
  expect(await active()).toMatchObject([{ runId: 'beside', outcome: 'started', openedAt: timeAt(2) }]);
  await endRun(store, { id: 'beside' });
  expect(await active()).toEqual([]);
  await scheduleFires.open(anOpenedFire(schedule, timeAt(3), 'pending'));
  expect(await active()).toMatchObject([{ runId: 'pending', outcome: 'pending', openedAt: timeAt(3) }]);
});

test('a schedule keeps only its last closed fires in the store', async () => {
  const schedule = await createSchedule(store, 'old');
  await scheduleFires.request(schedule, [fireAt(1)], 60_000);
  await scheduleFires.skip(
    schedule,
    [2, 3, 4].map((hour) => fireAt(hour, 'time')),
    OVERLAPPED,
  );
  await scheduleFires.forgetOld(1, '');
  const left = (await scheduleFires.latest([schedule], 5)).get('old')?.map(({ runId }) => runId);
  expect(left).toEqual(['run-4', 'run-1']);
});

test('fires of many schedules are forgotten in batches', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `batch-${String(index).padStart(2, '0')}`);
  for (const id of ids) {
    const schedule = await createSchedule(store, id, { tenantId: 'batches' });
    await scheduleFires.skip(schedule, [fireAt(1, 'time'), fireAt(2, 'time')], OVERLAPPED);
  }
  const batches: string[] = [];
  for (let after: string | null = ''; after !== null; after = await scheduleFires.forgetOld(1, after))
    batches.push(after);
  expect(batches.length).toBeGreaterThan(2);
  const left = await scheduleFires.latest(
    ids.map((id) => ({ tenantId: 'batches', id })),
    5,
  );
  expect([...left.values()].flat().map(({ at }) => at)).toEqual(ids.map(() => timeAt(2)));
});

test('a fire whose run has started since it was listed as skipped is not closed', async () => {
  const schedule = await createSchedule(store, 'listed');
  const opened = anOpenedFire(schedule, timeAt(1), 'run-listed');
  await scheduleFires.open(opened);
  const [claimed] = await scheduleFires.claim('other', 10, schedule);
  if (!claimed) throw new TypeError('No fire is due');
  await scheduleFires.settle(claimed, OVERLAPPED);
  const listed = (await scheduleFires.over(100)).find(({ id }) => id === 'listed');
  if (!listed) throw new TypeError('The skipped fire is not listed');
  await scheduleFires.settle(claimed, { outcome: 'started' });
  await scheduleFires.close(listed);
  expect(await scheduleFires.claim('other', 10, schedule)).toMatchObject([{ outcome: 'started' }]);
});

test('a pending fire is due when another one of its schedule is closed', async () => {
  const schedule = await createSchedule(store, 'woken');
  for (const hour of [1, 2]) await scheduleFires.open(anOpenedFire(schedule, timeAt(hour), `woken-${hour}`));
  for (const fire of await scheduleFires.claim('other', 10, schedule)) await scheduleFires.postpone(fire, 60_000);
  await scheduleFires.close({ ...schedule, at: timeAt(1), outcome: 'pending' });
  expect(await scheduleFires.claim('other', 10, schedule)).toMatchObject([{ at: timeAt(2) }]);
});

test('a sent trigger is due when Temporal opens another one of its schedule', async () => {
  const schedule = await createSchedule(store, 'overtaken');
  await scheduleFires.request(schedule, [fireAt(1)], 60_000);
  await scheduleFires.markSent(schedule, [timeAt(1)]);
  expect(await scheduleFires.claim('other', 10, schedule)).toEqual([]);
  await scheduleFires.open(anOpenedFire(schedule, timeAt(2), 'other'));
  const due = (await scheduleFires.claim('other', 10, schedule)).map(({ at }) => at);
  expect(due).toEqual([timeAt(1), timeAt(2)]);
});
