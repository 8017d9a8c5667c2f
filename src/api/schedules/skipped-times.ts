import { ulid } from 'ulid';
import type { OverFire } from '../../store/schedules/fire.ts';
import type { FireResult, Overlap, Schedule } from '../../store/schedules/schedule.ts';
import type { FireDeps } from './act-as-owner.ts';
import { OVERLAPPED } from './decide-fire.ts';

/** The times that Temporal skips of those that come while the workflow of a fire is open. */
const SKIPPED: Readonly<Record<Overlap, (times: readonly string[]) => readonly string[]>> = {
  skip: (times) => times,
  buffer: (times) => times.slice(1),
  allow: () => [],
  cancelOther: (times) => times.slice(0, -1),
};

/**
 * Records times without a fire: those that Temporal has missed before the workflow of a fire was open, and those that it skips
 * while the workflow is open. Temporal reports neither.
 */
export async function recordSkipped(deps: FireDeps, fire: OverFire): Promise<void> {
  const schedule = await deps.store.schedules.find(fire);
  if (!schedule || schedule.paused) return;
  await recordMissed(deps, schedule, fire);
  if (schedule.overlap !== 'allow') await recordOverlapped(deps, schedule, fire);
}

function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}

/** Temporal makes up for times that it has missed if they are not older than this. */
const CAUGHT_UP_WITHIN_MS = 60_000;

const MISSED: FireResult = {
  outcome: 'skipped',
  code: 'MISSED',
  message: 'Temporal has not started this time: it was not available, or a run had only just ended',
};

async function recordMissed({ engine, store }: FireDeps, schedule: Schedule, fire: OverFire): Promise<void> {
  const idleSince = await store.scheduleFires.idleSince(fire, schedule.overlap === 'allow');
  const since = laterOf(idleSince ?? schedule.updatedAt, schedule.updatedAt);
  // Of fires that may overlap, Temporal opens all that it makes up for, but they may be recorded in any order.
  const until = schedule.overlap === 'allow' && fire.at > caughtUpTo(fire) ? caughtUpTo(fire) : fire.at;
  if (since >= until) return;
  const times = await timesBetween(engine, schedule, since, until);
  await record(
    store,
    schedule,
    times.filter((at) => at !== fire.at),
    MISSED,
  );
}

/** Temporal lists so many times at most. */
const PAGE = 1_000;
/** Bounds the times that are recorded at once. A schedule remembers fewer. */
const MAX_TIMES = 10_000;

/** Lists the times after one and up to another one, the first `MAX_TIMES` of them. */
async function timesBetween(
  { schedules }: FireDeps['engine'],
  schedule: Schedule,
  from: string,
  to: string,
): Promise<readonly string[]> {
  const times: string[] = [];
  for (let isMore = true; isMore && times.length < MAX_TIMES;) {
    const page = (await schedules.timesBetween(schedule, times.at(-1) ?? from, to)) ?? [];
    times.push(...page);
    isMore = page.length >= PAGE;
  }
  return times;
}

/** When Temporal opened the fire, it made up for times after this one. */
function caughtUpTo({ openedAt }: OverFire): string {
  return new Date(Date.parse(openedAt) - CAUGHT_UP_WITHIN_MS).toISOString();
}

async function record(
  { scheduleFires }: FireDeps['store'],
  schedule: Schedule,
  times: readonly string[],
  result: FireResult,
) {
  const fires = times.map((at) => ({ at, kind: 'time' as const, runId: ulid() }));
  await scheduleFires.skip(schedule, fires, result);
}

async function recordOverlapped({ engine, store }: FireDeps, schedule: Schedule, fire: OverFire): Promise<void> {
  const opened = schedule.overlap === 'buffer' ? fire.openedAt : laterOf(fire.at, caughtUpTo(fire));
  const since = laterOf(opened, schedule.updatedAt);
  const recorded = await lastSkipped(store, schedule);
  // A look continues where the one before has ended.
  const isContinued = recorded !== null && recorded > since;
  const times = await timesBetween(engine, schedule, isContinued ? recorded : since, new Date().toISOString());
  const skipped = isContinued && schedule.overlap === 'buffer' ? times : SKIPPED[schedule.overlap](times);
  await record(store, schedule, skipped, OVERLAPPED);
}

/** The number of the last fires among which the last skipped time is searched. */
const LAST_FIRES = 50;

async function lastSkipped({ scheduleFires }: FireDeps['store'], schedule: Schedule): Promise<string | null> {
  const last = (await scheduleFires.latest([schedule], LAST_FIRES)).get(schedule.id) ?? [];
  return last.find(({ kind, code }) => kind === 'time' && code === OVERLAPPED.code)?.at ?? null;
}
