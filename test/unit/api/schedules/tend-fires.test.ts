import { beforeEach, describe, expect, test } from 'vitest';
import { closeFires } from '../../../../src/api/schedules/close-fires.ts';
import { cancelFires, tendFires } from '../../../../src/api/schedules/tend-fires.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import type { FireKind, Overlap, Schedule } from '../../../../src/store/schedules/schedule.ts';
import { anOpenedFire, createSchedule, makeDue, startFire } from '../../../support/builders/fires.ts';
import type { ScheduleOver } from '../../../support/builders/fires.ts';
import { endRun } from '../../../support/builders/store-builders.ts';
import { aFakeTemporal } from '../../../support/doubles/fake-temporal.ts';
import type { FakeTemporal } from '../../../support/doubles/fake-temporal.ts';
import { fireDeps } from '../../../support/doubles/fire-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

/* The graph of the schedules is unknown, so that each fire fails that would start a run. */

const store = await useMemoryStore();
let temporal: FakeTemporal;
beforeEach(() => {
  temporal = aFakeTemporal();
});

const AT = '2026-01-01T01:00:00.000Z';

const deps = (config: ConfigInput = {}) => ({ ...fireDeps(store, config), engine: temporal.engine });
const tend = async (schedule: Schedule, config?: ConfigInput): Promise<void> => {
  await tendFires(deps(config), schedule);
  await cancelFires(deps(config), schedule);
};
const closedAgain = async (): Promise<readonly string[]> => {
  await closeFires(deps());
  return temporal.ended;
};
const find = async ({ tenantId, id }: Schedule, at = AT) => await store.scheduleFires.find({ tenantId, id, at });

describe('the workflow of a fire', () => {
  test('the workflow of a schedule’s fire is ended when the fire was refused', async () => {
    const schedule = await createSchedule(store, 'refused');
    await store.scheduleFires.open(anOpenedFire(schedule, AT, 'run-refused'));
    await tend(schedule);
    expect(await find(schedule)).toMatchObject({ outcome: 'failed', code: 'UNKNOWN_GRAPH' });
    await closeFires(deps());
    expect(temporal.ended).toEqual([AT]);
  });

  test('the workflow of a schedule’s fire is ended once when the run has ended', async () => {
    const schedule = await createSchedule(store, 'running');
    await startFire(store, schedule, AT, 'run-running');
    await closeFires(deps());
    expect(temporal.ended).toEqual([]);
    await endRun(store, { id: 'run-running' });
    await closeFires(deps());
    await closeFires(deps());
    expect(temporal.ended).toEqual([AT]);
  });

  test('the workflow of a schedule’s fire is ended later when Temporal is unavailable', async () => {
    const schedule = await createSchedule(store, 'away');
    await startFire(store, schedule, AT, 'run-away');
    await endRun(store, { id: 'run-away' });
    temporal.isAway = true;
    await closeFires(deps());
    temporal.isAway = false;
    await expect.poll(closedAgain).toEqual([AT]);
  });

  test('the workflow of a schedule’s fire is ended with its schedule, whose row stays until then', async () => {
    const schedule = await createSchedule(store, 'removed');
    await startFire(store, schedule, AT, 'run-removed');
    await store.schedules.remove(schedule);
    await store.schedules.forget(schedule);
    expect(await find(schedule)).not.toBeNull();
    await closeFires(deps());
    await store.schedules.forget(schedule);
    expect([await find(schedule), temporal.ended]).toEqual([null, [AT]]);
  });
});

describe('the run of a fire whose workflow Temporal has canceled', () => {
  async function canceled(id: string, over: ScheduleOver = {}, config?: ConfigInput) {
    const schedule = await createSchedule(store, id, { overlap: 'cancelOther', ...over });
    await startFire(store, schedule, AT, `run-${id}`);
    await tend(schedule, config);
    await store.scheduleFires.open({ ...anOpenedFire(schedule, AT, 'another'), isCanceled: true });
    return { schedule, again: async () => await makeDue(store, schedule, AT) };
  }

  test('a run whose fire’s workflow was canceled is canceled again and again until it has ended, also after a refused cancel', async () => {
    const { schedule, again } = await canceled('busy');
    temporal.isAway = true;
    await tend(schedule);
    temporal.isAway = false;
    for (const _ of [1, 2]) {
      await again();
      await tend(schedule);
    }
    expect(temporal.canceled).toEqual(['run-busy', 'run-busy']);
    await endRun(store, { id: 'run-busy' });
    await closeFires(deps());
    await again();
    await tend(schedule);
    expect([temporal.canceled.length, temporal.ended]).toEqual([2, [AT]]);
  });

  test.each<[string, ScheduleOver, ConfigInput]>([
    ['its owner is not allowed to cancel runs', { roles: ['starter'] }, { roles: { starter: ['run:start'] } }],
    ['a quota prevents another run', {}, { tenants: { acme: { runsPerMinute: 0 } } }],
  ])(
    'a run whose fire’s workflow was canceled continues while %s, and is canceled afterwards',
    async (name, over, config) => {
      const { schedule, again } = await canceled(name, over, config);
      await tend(schedule, config);
      expect(temporal.canceled).toEqual([]);
      await again();
      await tend(schedule, { roles: { starter: ['run:start', 'run:control'] } });
      expect(temporal.canceled).toEqual([`run-${name}`]);
    },
  );
});

test('cancels that get no answer delay no other fires', async () => {
  const schedule = await createSchedule(store, 'stuck', { overlap: 'cancelOther' });
  for (let minute = 10; minute < 40; minute += 1) {
    const at = `2026-01-01T01:${minute}:00.000Z`;
    await startFire(store, schedule, at, `stuck-${minute}`);
    await store.scheduleFires.open({ ...anOpenedFire(schedule, at, 'another'), isCanceled: true });
  }
  let isOver: () => void = () => undefined;
  const answer = new Promise<void>((resolve) => (isOver = resolve));
  temporal.onCancel = async () => await answer;
  const other = await createSchedule(store, 'quick');
  await store.scheduleFires.open(anOpenedFire(other, AT, 'run-quick'));
  await tendFires(deps());
  expect(await find(other)).toMatchObject({ outcome: 'failed', code: 'UNKNOWN_GRAPH' });
  const canceling = cancelFires(deps());
  isOver();
  await canceling;
  expect(temporal.canceled).toHaveLength(30);
});

test('a fire that has waited for an hour is not looked at every two seconds', async () => {
  const schedule = await createSchedule(store, 'patient');
  await store.scheduleFires.request(schedule, [{ at: AT, kind: 'trigger', runId: 'run-patient' }], 0);
  const openedAt = new Date(Date.now() - 3_600_000).toISOString();
  await store.scheduleFires.open({ ...anOpenedFire(schedule, AT, 'another'), openedAt });
  await tend(schedule, { tenants: { acme: { runsPerMinute: 0 } } });
  expect(await find(schedule)).toMatchObject({ outcome: 'pending' });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await store.scheduleFires.claim('other', 1, schedule)).toEqual([]);
});

describe('a fire that a person has requested', () => {
  async function requested(id: string, kind: FireKind = 'trigger', over: ScheduleOver = {}): Promise<Schedule> {
    const schedule = await createSchedule(store, id, over);
    await store.scheduleFires.request(schedule, [{ at: AT, kind, runId: `run-${id}` }], 0);
    return schedule;
  }
  const again = async (schedule: Schedule): Promise<void> => {
    await makeDue(store, schedule, AT);
    await tend(schedule);
  };
  const loseAnswer = async (schedule: Schedule): Promise<void> => {
    temporal.onTrigger = async () => await Promise.reject(new Error('The answer is lost'));
    await tend(schedule);
    temporal.onTrigger = async () => await Promise.resolve();
  };
  const beside = async (schedule: Schedule): Promise<void> =>
    await startFire(store, schedule, '2026-01-01T00:00:00.000Z', `beside-${schedule.id}`);

  test('a trigger of a schedule is sent again when Temporal has not received it, also while another run is active', async () => {
    const schedule = await requested('undelivered');
    await beside(schedule);
    temporal.isAway = true;
    await tend(schedule);
    temporal.isAway = false;
    await again(schedule);
    expect(temporal.triggered).toEqual([AT]);
    expect(await find(schedule)).toMatchObject({ outcome: 'pending' });
  });

  test('a trigger of a schedule is not sent again when Temporal has opened it but has not answered', async () => {
    const schedule = await requested('unanswered');
    await loseAnswer(schedule);
    temporal.state = 'open';
    await again(schedule);
    expect([temporal.triggered, await find(schedule)]).toMatchObject([[AT], { outcome: 'pending' }]);
  });

  test('a trigger of a schedule is sent again while Temporal buffers another fire and has not answered, by a request that it takes once', async () => {
    const schedule = await requested('beside-buffered', 'trigger', { overlap: 'cancelOther' });
    await beside(schedule);
    await loseAnswer(schedule);
    temporal.state = 'buffering';
    await again(schedule);
    const request = { id: 'run-beside-buffered', overlap: 'as-scheduled' };
    expect([temporal.requests, await find(schedule)]).toMatchObject([[request, request], { outcome: 'pending' }]);
  });

  test('a trigger of a schedule is skipped when Temporal opens and buffers later fires instead', async () => {
    const schedule = await requested('passed-over', 'trigger', { overlap: 'buffer' });
    await beside(schedule);
    await tend(schedule);
    temporal.state = 'buffering';
    await again(schedule);
    expect(await find(schedule)).toMatchObject({ outcome: 'pending' });
    const openedAt = new Date(Date.now() + 10_000).toISOString();
    await store.scheduleFires.open({ ...anOpenedFire(schedule, '2026-01-01T02:00:00.000Z', 'later'), openedAt });
    await again(schedule);
    expect(await find(schedule)).toMatchObject({ outcome: 'skipped', code: 'OVERLAP' });
  });

  test.each(['open', 'buffering'] as const)('is sent once while Temporal shows it as %s', async (state) => {
    const schedule = await requested(`shown-${state}`);
    await beside(schedule);
    await tend(schedule);
    temporal.state = state;
    await again(schedule);
    expect([temporal.triggered, await find(schedule)]).toMatchObject([[AT], { outcome: 'pending' }]);
  });

  test.each<Overlap>(['skip', 'buffer', 'cancelOther'])(
    'a trigger of a schedule is skipped when Temporal has skipped it by the policy %s while another run was active',
    async (overlap) => {
      const schedule = await requested(`skipped-${overlap}`, 'trigger', { overlap });
      await beside(schedule);
      await tend(schedule);
      await again(schedule);
      expect([temporal.triggered, await find(schedule)]).toMatchObject([[AT], { code: 'OVERLAP' }]);
    },
  );

  test('a trigger of a schedule is skipped when Temporal has skipped it while another fire was waiting', async () => {
    const schedule = await requested('behind');
    await store.scheduleFires.open(anOpenedFire(schedule, '2026-01-01T00:00:00.000Z', 'waiting'));
    const CLOSED = { tenants: { acme: { runsPerMinute: 0 } } };
    const waits = { at: '2026-01-01T00:30:00.001Z', kind: 'trigger', runId: 'waits' } as const;
    await store.scheduleFires.request(schedule, [waits], 0);
    await store.scheduleFires.open(anOpenedFire(schedule, waits.at, 'waits'));
    await tend(schedule, CLOSED);
    await again(schedule);
    expect(await find(schedule)).toMatchObject({ outcome: 'skipped', code: 'OVERLAP' });
  });

  test('a trigger of a schedule is sent again when Temporal has skipped it although the last run has ended', async () => {
    const schedule = await requested('late');
    await beside(schedule);
    await tend(schedule);
    await endRun(store, { id: 'beside-late' });
    await again(schedule);
    expect([temporal.triggered, await find(schedule)]).toMatchObject([[AT, AT], { outcome: 'pending' }]);
  });

  test.each<[Overlap, string]>([
    ['skip', 'as-scheduled'],
    ['buffer', 'as-scheduled'],
    ['cancelOther', 'skip'],
  ])('a trigger of a schedule with overlap %s is sent again with the overlap policy %s', async (overlap, wanted) => {
    const schedule = await requested(`again-${overlap}`, 'trigger', { overlap });
    await tend(schedule);
    await again(schedule);
    const [first, second] = temporal.requests;
    expect([first, second?.overlap]).toEqual([{ id: `run-again-${overlap}`, overlap: 'as-scheduled' }, wanted]);
    expect(second?.id).not.toBe(first?.id);
  });

  test('a backfill fire of a schedule is sent again while any run is active, until its workflow is open', async () => {
    const schedule = await requested('dropped', 'backfill', { overlap: 'cancelOther' });
    await beside(schedule);
    await tend(schedule);
    await again(schedule);
    expect([temporal.backfilled, await find(schedule)]).toMatchObject([[AT, AT], { outcome: 'pending' }]);
    await store.scheduleFires.open(anOpenedFire(schedule, AT, 'another'));
    await endRun(store, { id: 'beside-dropped' });
    await tend(schedule);
    expect(await find(schedule)).toMatchObject({ outcome: 'failed', code: 'UNKNOWN_GRAPH', runId: 'run-dropped' });
  });

  test('a trigger of a schedule waits until the sweeper has created the missing Temporal schedule', async () => {
    const schedule = await requested('missing');
    await store.schedules.markSynced(schedule, 1);
    temporal.hasSchedules = false;
    await tend(schedule);
    expect(await find(schedule)).toMatchObject({ outcome: 'pending' });
    expect(await store.schedules.unsynced('2999-01-01T00:00:00Z', 100)).toContainEqual(
      expect.objectContaining({ id: 'missing' }),
    );
  });
});

describe('times of a schedule that Temporal has skipped', () => {
  const minute = (number: number): string => new Date(Date.UTC(2026, 0, 1, 1, number)).toISOString();

  test.each<[Overlap, readonly number[]]>([
    ['skip', [1, 2, 3]],
    ['buffer', [2, 3]],
    ['allow', []],
    ['cancelOther', [1, 2]],
  ])('the times that Temporal skipped while a fire was open are recorded for %s: %j', async (overlap, wanted) => {
    const schedule = await createSchedule(store, `skips-${overlap}`, { overlap });
    temporal.times = [-1, 0, 1, 2, 3].map(minute);
    await startFire(store, schedule, AT, `run-skips-${overlap}`);
    await tend(schedule);
    const fires = (await store.scheduleFires.latest([schedule], 10)).get(schedule.id) ?? [];
    const skipped = fires.filter(({ code }) => code === 'OVERLAP').map(({ at }) => at);
    expect(skipped.toSorted()).toEqual(wanted.map(minute));
  });

  test.each<[Overlap, readonly number[]]>([
    ['skip', [1, 2, 3, 4]],
    ['buffer', [2, 3, 4]],
  ])(
    'the skipped times of a schedule are recorded for %s although Temporal lists two at a time: %j',
    async (overlap, wanted) => {
      const schedule = await createSchedule(store, `pages-${overlap}`, { overlap });
      temporal.times = [1, 2, 3, 4].map(minute);
      temporal.mostTimes = 2;
      await startFire(store, schedule, AT, `run-pages-${overlap}`);
      for (let look = 0; look < 3; look += 1) {
        await tend(schedule);
        await makeDue(store, schedule, AT);
      }
      const fires = (await store.scheduleFires.latest([schedule], 10)).get(schedule.id) ?? [];
      expect(fires.flatMap(({ code, at }) => (code === 'OVERLAP' ? [at] : [])).toSorted()).toEqual(wanted.map(minute));
    },
  );

  test.each<[Overlap, number, readonly number[]]>([
    ['skip', 20, [40, 60]],
    ['cancelOther', 60, [20, 40]],
  ])(
    'skipped times are recorded for overlap %s although Temporal makes up for them at once',
    async (overlap, taken, wanted) => {
      const second = (number: number): string => new Date(Date.parse(AT) + number * 1_000).toISOString();
      const updatedAt = second(0);
      const schedule = await createSchedule(store, `made-up-${overlap}`, { overlap, updatedAt });
      temporal.times = [20, 40, 60].map(second);
      const opened = { ...anOpenedFire(schedule, second(taken), `run-${schedule.id}`), openedAt: second(70) };
      await store.scheduleFires.open(opened);
      await startFire(store, schedule, opened.at, opened.runId);
      await tend(schedule);
      const fires = (await store.scheduleFires.latest([schedule], 10)).get(schedule.id) ?? [];
      expect(fires.flatMap(({ code, at }) => (code === null ? [] : [at])).toSorted()).toEqual(wanted.map(second));
    },
  );

  test('the skipped times of a schedule are recorded when the run ends', async () => {
    const schedule = await createSchedule(store, 'short');
    await startFire(store, schedule, AT, 'run-short');
    await endRun(store, { id: 'run-short' });
    temporal.times = [minute(1)];
    await closeFires(deps());
    expect(await find(schedule, minute(1))).toMatchObject({ kind: 'time', outcome: 'skipped', code: 'OVERLAP' });
  });

  test('skipped times are recorded later when Temporal does not list them as the run ends', async () => {
    const schedule = await createSchedule(store, 'unlisted');
    await startFire(store, schedule, AT, 'run-unlisted');
    await endRun(store, { id: 'run-unlisted' });
    temporal.times = [minute(1)];
    const timesBetween = async (): Promise<never> => await Promise.reject(new Error('Temporal is away'));
    const schedules = { ...temporal.engine.schedules, timesBetween };
    await closeFires({ ...deps(), engine: { ...temporal.engine, schedules } });
    expect(await find(schedule, minute(1))).toBeNull();
    await expect.poll(closedAgain).toEqual([AT, AT]);
    expect(await find(schedule, minute(1))).toMatchObject({ outcome: 'skipped', code: 'OVERLAP' });
  });

  test('no skipped time is recorded that lies before a change of the schedule', async () => {
    const schedule = await createSchedule(store, 'changed', { updatedAt: minute(2) });
    temporal.times = [minute(1), minute(3)];
    await startFire(store, schedule, AT, 'run-changed');
    await tend(schedule);
    expect([await find(schedule, minute(1)), await find(schedule, minute(3))]).toMatchObject([null, {}]);
  });
});

describe('times that Temporal has missed before a fire', () => {
  const hour = (number: number): string => new Date(Date.UTC(2026, 0, 1, number)).toISOString();

  const fromNow = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

  test.each<Overlap>(['skip', 'buffer', 'allow', 'cancelOther'])(
    'times that Temporal has missed are recorded for overlap %s after the end of the last run',
    async (overlap) => {
      const schedule = await createSchedule(store, `missed-${overlap}`, { overlap });
      temporal.times = [-2, -1, 1, 2, 3].map(fromNow);
      const [, first = '', ...later] = temporal.times;
      await open(schedule, first);
      await store.scheduleFires.close({ ...schedule, at: first, outcome: 'started' });
      expect(await missedBefore(schedule, later.at(-1) ?? '')).toEqual(later.slice(0, -1));
    },
  );

  test('missed times are not recorded while an earlier run has not ended, nor before the schedule was changed', async () => {
    const busy = await createSchedule(store, 'missed-busy');
    temporal.times = [1, 2, 3, 4].map(hour);
    await open(busy, hour(1));
    expect(await missedBefore(busy, hour(4))).toEqual([]);
    const changed = await createSchedule(store, 'missed-changed', { updatedAt: hour(3) });
    expect(await missedBefore(changed, hour(5))).toEqual([hour(4)]);
  });

  const open = async (schedule: Schedule, at: string): Promise<void> =>
    await startFire(store, schedule, at, `${schedule.id}-${at}`);

  /** Opens a fire that has started a run. @returns the times that are recorded as missed */
  async function missedBefore(schedule: Schedule, at: string): Promise<readonly string[]> {
    await open(schedule, at);
    await tend(schedule);
    const fires = (await store.scheduleFires.latest([schedule], 10)).get(schedule.id) ?? [];
    return fires.flatMap((fire) => (fire.code === 'MISSED' ? [fire.at] : [])).toSorted();
  }
});
