import type { Schedule, ScheduleReference, Tick, TickResult } from '../../store/schedules/schedule.ts';
import type { ApiDeps } from '../deps.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { judgeTick } from './judge-tick.ts';
import type { TickVerdict } from './judge-tick.ts';
import { actorOf, startTick } from './start-tick.ts';

export type TurnDeps = Pick<ApiDeps, 'store' | 'engine' | 'interpreter' | 'catalog' | 'settings' | 'logger'>;

/** Longer than a turn takes; another process goes on after that. */
const LEASE_MS = 60_000;
/** A tick that waits is looked at again after this time. */
const LOOK_AGAIN_MS = 1_000;
const LOOK_AGAIN_AFTER_FAILURE_MS = 5_000;
const MAX_TICKS = 100;

/**
 * Decides about the ticks of a schedule that wait, the oldest first. One process at a time does.
 * @returns false if another one has its turn, or has just had it
 */
export async function takeTurn(deps: TurnDeps, reference: ScheduleReference): Promise<boolean> {
  const { schedules, scheduleTicks } = deps.store;
  const claimedUntil = timeIn(LEASE_MS);
  if (!(await scheduleTicks.claim(reference, claimedUntil))) return false;
  let lookAgainMs = LOOK_AGAIN_AFTER_FAILURE_MS;
  try {
    const schedule = await schedules.find(reference);
    const isWaiting = schedule !== null && (await decideAll(deps, schedule));
    lookAgainMs = isWaiting ? LOOK_AGAIN_MS : 0;
    return true;
  } finally {
    await scheduleTicks.release(reference, { claimedUntil, until: timeIn(lookAgainMs) });
  }
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

/** @returns true if a tick still waits */
async function decideAll(deps: TurnDeps, schedule: Schedule): Promise<boolean> {
  const { scheduleTicks } = deps.store;
  const ticks = await scheduleTicks.pending(schedule, MAX_TICKS);
  const waiting: Tick[] = [];
  for (const [index, tick] of ticks.entries()) {
    const active = await scheduleTicks.activeRuns(schedule);
    const verdict = judgeTick(schedule.overlap, {
      kind: tick.kind,
      isBusy: active.length > 0,
      isBehind: waiting.some((before) => isOfSameLine(before, tick)),
      isFollowed: ticks.slice(index + 1).some((after) => isOfSameLine(after, tick)),
    });
    const result = await ACTIONS[verdict](deps, { schedule, tick, active });
    if (result) await scheduleTicks.settle(schedule, tick, result);
    else waiting.push(tick);
  }
  return waiting.length > 0 || ticks.length === MAX_TICKS;
}

/** Times that a person has asked for afterwards wait in a line of their own. */
function isOfSameLine(one: Tick, other: Tick): boolean {
  return (one.kind === 'backfill') === (other.kind === 'backfill');
}

interface Judged {
  readonly schedule: Schedule;
  readonly tick: Tick;
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
async function cancelOthers(deps: TurnDeps, { schedule, tick, active }: Judged): Promise<void> {
  const payload = { reason: `The schedule ${schedule.id} starts its next run` };
  const attempt = { id: `${tick.runId}.cancel`, isRepetition: true };
  const actor = actorOf(schedule, deps.settings.roles);
  for (const id of active) {
    const run = await deps.store.runs.find(id);
    if (run) await sendSignal(deps, actor, { run, signal: { name: 'cancel', attempt, payload } });
  }
}
