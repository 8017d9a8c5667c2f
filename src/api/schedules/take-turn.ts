import type { Schedule, ScheduleReference, Tick, TickResult } from '../../store/schedules/schedule.ts';
import type { ApiDeps } from '../deps.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { judgeTick } from './judge-tick.ts';
import type { TickVerdict } from './judge-tick.ts';
import { actorOf } from './actor-of.ts';
import { settleBarred } from './settle-barred.ts';
import { startTick } from './start-tick.ts';

export type TurnDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'catalog' | 'settings' | 'logger'>;

/** Another process goes on after that. */
const LEASE_MS = 60_000;
/** A turn begins nothing more after that, so that what it has begun ends within its lease. */
const TURN_MS = LEASE_MS / 2;
/** A tick that waits is looked at again after this time. */
const LOOK_AGAIN_MS = 1_000;
/** The same after a failure, and while no run may begin. */
const LOOK_AGAIN_LATER_MS = 5_000;
/** The ticks of each kind that a turn decides about. */
const MAX_TICKS = 100;
/** The runs that a turn starts, of each line. */
const MAX_STARTS = 5;

/**
 * Decides about the ticks of a schedule that wait, the oldest first. One process at a time does.
 * @returns false if another one has its turn, or has just had it
 */
export async function takeTurn(deps: TurnDeps, reference: ScheduleReference): Promise<boolean> {
  const { schedules, scheduleTicks } = deps.store;
  const claimedUntil = timeIn(LEASE_MS);
  const endsAt = Date.now() + TURN_MS;
  if (!(await scheduleTicks.claim(reference, claimedUntil))) return false;
  let lookAgainMs = LOOK_AGAIN_LATER_MS;
  try {
    const schedule = await schedules.find(reference);
    lookAgainMs = schedule ? await decideAll(deps, schedule, endsAt) : 0;
    return true;
  } finally {
    await scheduleTicks.release(reference, { claimedUntil, until: timeIn(lookAgainMs) });
  }
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

/** What a turn has done about ticks that wait for each other. */
interface Line {
  isWaiting: boolean;
  starts: number;
  hasFailed: boolean;
}

const newLine = (): Line => ({ isWaiting: false, starts: 0, hasFailed: false });

/**
 * Decides about the ticks of both lines; a failure in one leaves the other alone.
 * @param endsAt when it begins nothing more
 * @returns the time until the next turn
 */
async function decideAll(deps: TurnDeps, schedule: Schedule, endsAt: number): Promise<number> {
  const pending = await deps.store.scheduleTicks.pending(schedule, MAX_TICKS);
  const { ticks, isClosed } = await settleBarred(deps, { schedule, ticks: pending, endsAt });
  const own = newLine();
  const backfills = newLine();
  for (const [index, tick] of ticks.entries()) {
    if (Date.now() >= endsAt) break;
    const line = isBackfill(tick) ? backfills : own;
    if (line.hasFailed || line.starts === MAX_STARTS) continue;
    const isFollowed = ticks.slice(index + 1).some((after) => isBackfill(after) === isBackfill(tick));
    await decide(deps, { schedule, tick, isFollowed, isClosed, endsAt }, line).catch((error: unknown) => {
      line.hasFailed = true;
      deps.logger.warn({ error, schedule: schedule.id, kind: tick.kind }, 'a tick waits; it will be tried again');
    });
  }
  return restAfter([own, backfills], isClosed);
}

/** @returns the time until the next turn */
function restAfter(lines: readonly Line[], isClosed: boolean): number {
  if (lines.some(({ hasFailed }) => hasFailed)) return LOOK_AGAIN_LATER_MS;
  if (!lines.some(({ isWaiting }) => isWaiting)) return 0;
  return isClosed ? LOOK_AGAIN_LATER_MS : LOOK_AGAIN_MS;
}

/** Times that a person has asked for afterwards wait in a line of their own. */
function isBackfill({ kind }: Tick): boolean {
  return kind === 'backfill';
}

interface Deciding {
  readonly schedule: Schedule;
  readonly tick: Tick;
  /** A younger tick of its line waits, too. */
  readonly isFollowed: boolean;
  /** No run may begin at the moment. */
  readonly isClosed: boolean;
  readonly endsAt: number;
}

/** @param line the line of the tick, which learns what becomes of it */
async function decide(deps: TurnDeps, deciding: Deciding, line: Line): Promise<void> {
  const { scheduleTicks } = deps.store;
  const { schedule, tick, isFollowed, isClosed } = deciding;
  const active = await scheduleTicks.activeRuns(schedule);
  const place = { kind: tick.kind, isBusy: active.length > 0, isBehind: line.isWaiting, isFollowed, isClosed };
  const verdict = judgeTick(schedule.overlap, place);
  if (verdict === 'start') line.starts += 1;
  const result = await ACTIONS[verdict](deps, { ...deciding, active });
  if (result) await scheduleTicks.settle(schedule, tick, result);
  else line.isWaiting = true;
}

interface Judged extends Deciding {
  /** The ids of the runs of the schedule that are not over. */
  readonly active: readonly string[];
}

/** What follows from each verdict. @returns `null`: the tick waits */
const ACTIONS: Readonly<Record<TickVerdict, (deps: TurnDeps, judged: Judged) => Promise<TickResult | null>>> = {
  start: async (deps, { schedule, tick }) => await startTick(deps, schedule, tick),
  wait: async () => null,
  skip: async (_deps, { active }) => ({ outcome: 'skipped', code: 'OVERLAP', message: whyNot(active) }),
  'cancel-others': async (deps, judged) => {
    await cancelOthers(deps, judged);
    return null;
  },
};

function whyNot([runId]: readonly string[]): string {
  return runId === undefined ? 'Another tick waits or follows' : `Run ${runId} of the schedule is not over`;
}

/** The id of the signal is the tick's, so that a run that has taken it is asked for no second time. */
async function cancelOthers(deps: TurnDeps, { schedule, tick, active, endsAt }: Judged): Promise<void> {
  const payload = { reason: `The schedule ${schedule.id} starts its next run` };
  const attempt = { id: `${tick.runId}.cancel`, isRepetition: true };
  const actor = actorOf(schedule, deps.settings.roles);
  for (const id of active) {
    if (Date.now() >= endsAt) return;
    const run = await deps.store.runs.find(id);
    if (run) await sendSignal(deps, actor, { run, signal: { name: 'cancel', attempt, payload } });
  }
}
