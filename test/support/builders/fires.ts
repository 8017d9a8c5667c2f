import type { DueFire } from '../../../src/store/schedules/fire.ts';
import type { Schedule } from '../../../src/store/schedules/schedule.ts';
import type { Store } from '../../../src/store/store.ts';
import { aSchedule } from './schedules.ts';
import { aNewRun } from './store-builders.ts';

const FIRED_AT = '2026-01-01T01:00:00.000Z';

/** An open fire of the schedule `hourly` without a result. */
export function aDueFire(
  over: Partial<Pick<DueFire, 'id' | 'at' | 'kind' | 'runId' | 'isCanceled' | 'openedAt'>> = {},
): DueFire {
  return {
    tenantId: 'acme',
    id: 'hourly',
    at: FIRED_AT,
    kind: 'time',
    runId: 'R1',
    outcome: 'pending',
    isCanceled: false,
    isAsked: false,
    isSent: false,
    openedAt: FIRED_AT,
    waitedMs: 0,
    ...over,
  };
}

/** What a workflow records for a fire of a schedule. */
export function anOpenedFire({ tenantId, id }: Pick<Schedule, 'tenantId' | 'id'>, at: string, runId: string) {
  return { tenantId, id, at, runId, openedAt: at, isLate: false, isCanceled: false };
}

/** Fields of a schedule that are not as in `aSchedule`. */
export type ScheduleOver = Partial<Omit<Schedule, 'cron' | 'every'>>;

/** Creates a schedule without runs. */
export async function createSchedule(store: Store, id: string, over: ScheduleOver = {}): Promise<Schedule> {
  const schedule = { ...aSchedule(id), input: {}, ...over };
  await store.schedules.create(schedule, 1_000);
  return schedule;
}

/** Opens a fire whose run has started and has not ended. */
export async function startFire(store: Store, schedule: Schedule, at: string, runId: string): Promise<void> {
  await store.runs.create(aNewRun({ id: runId }));
  await store.pendingStarts.complete({ id: runId, execution: 1 }, at);
  await store.scheduleFires.open(anOpenedFire(schedule, at, runId));
  await store.scheduleFires.settle(aDueFire({ id: schedule.id, at }), { outcome: 'started' });
}

/** Makes a fire due, in whatever state it is. */
export async function makeDue(store: Store, { id }: Pick<Schedule, 'id'>, at: string): Promise<void> {
  for (const isCanceled of [true, false]) {
    const open = aDueFire({ id, at, isCanceled });
    await store.scheduleFires.postpone(open, 0);
    await store.scheduleFires.postpone({ ...open, openedAt: null }, 0);
  }
}
