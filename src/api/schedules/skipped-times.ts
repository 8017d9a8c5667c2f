import { ulid } from 'ulid';
import type { OverFire } from '../../store/schedules/fire.ts';
import type { Overlap, Schedule } from '../../store/schedules/schedule.ts';
import type { FireDeps } from './act-as-owner.ts';
import { OVERLAPPED } from './decide-fire.ts';

/** The times that Temporal skips of those that come while the workflow of a fire is open. */
const SKIPPED: Readonly<Record<Overlap, (times: readonly string[]) => readonly string[]>> = {
  skip: (times) => times,
  buffer: (times) => times.slice(1),
  allow: () => [],
  cancelOther: (times) => times.slice(0, -1),
};

/** Temporal does not report the times that it skips, so they are recorded while the workflow of a fire is open. */
export async function recordSkipped({ engine, store }: FireDeps, fire: OverFire): Promise<void> {
  const schedule = await store.schedules.find(fire);
  if (!schedule || schedule.paused || schedule.overlap === 'allow') return;
  const since = fire.openedAt > schedule.updatedAt ? fire.openedAt : schedule.updatedAt;
  const recorded = await lastSkipped(store, schedule);
  // Temporal answers 1,000 times at most, so a look continues where the one before has ended.
  const isContinued = recorded !== null && recorded > since;
  const times =
    (await engine.schedules.timesBetween(schedule, isContinued ? recorded : since, new Date().toISOString())) ?? [];
  const skipped = isContinued && schedule.overlap === 'buffer' ? times : SKIPPED[schedule.overlap](times);
  const fires = skipped.map((at) => ({ at, kind: 'time' as const, runId: ulid() }));
  await store.scheduleFires.skip(schedule, fires, OVERLAPPED);
}

/** The number of the last fires among which the last skipped time is searched. */
const LAST_FIRES = 50;

async function lastSkipped({ scheduleFires }: FireDeps['store'], schedule: Schedule): Promise<string | null> {
  const last = (await scheduleFires.latest([schedule], LAST_FIRES)).get(schedule.id) ?? [];
  return last.find(({ kind, code }) => kind === 'time' && code === OVERLAPPED.code)?.at ?? null;
}
