import type {
  TickKind,
  TickResult,
  Overlap,
  Schedule,
  Tick,
  ScheduleReference,
} from '../../store/schedules/schedule.ts';
import { ApiError } from '../http/errors.ts';
import type { ApiErrorCode } from '../http/errors.ts';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import type { NewRun } from '../../store/accept-run.ts';
import { startRun } from '../runs/start-run.ts';
import type { StartDeps } from '../runs/start-run.ts';
import type { ApiDeps } from '../deps.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { permissionsOf } from '../../graph/definition/index.ts';
import type { Roles } from '../../graph/definition/index.ts';
import type { Caller } from '../http/authenticate.ts';
import { requireGraphOn } from '../administration/set-switch.ts';
import { requireMayStart } from '../administration/require-may-start.ts';

/** The refusals of new runs that end when a new day begins, or when an administrator says so. */
const CLOSED: ReadonlySet<ApiErrorCode> = new Set(['QUOTA_REACHED', 'TENANT_SUSPENDED', 'SWITCHED_OFF']);

/**
 * Says what becomes of a tick whose run is refused. A time is left out while no run may begin: times that waited would all
 * start together at the end of it, past any quota.
 * @returns `null`: the tick waits, since a person has asked for it; a trigger waits for a quota alone
 */
function resultOfRefusal(kind: TickKind, { code, message }: ApiError): TickResult | null {
  if (CLOSED.has(code) && kind === 'time') return { outcome: 'skipped', code, message };
  if (CLOSED.has(code) && (kind === 'backfill' || code === 'QUOTA_REACHED')) return null;
  return { outcome: code === 'THREAD_BUSY' ? 'skipped' : 'failed', code, message };
}

/** What a run does while another run of its thread is not over. */
const ON_BUSY: Readonly<Record<Overlap, NewRun['onBusy']>> = {
  skip: 'reject',
  buffer: 'enqueue',
  allow: 'enqueue',
  cancelOther: 'interrupt',
};

/**
 * Starts the run of a tick that nothing bars, as `POST /api/runs` does; the same tick again makes no second run.
 * @returns `null`: the tick waits for a quota
 * @throws when it may succeed later
 */
export async function startTick(
  deps: StartDeps,
  schedule: Schedule,
  { at, kind, runId }: Tick,
): Promise<TickResult | null> {
  const { id, graph, input, limits, metadata, threadId, overlap, redaction } = schedule;
  const wanted = {
    graph,
    input,
    limits,
    threadId,
    onBusy: kind === 'backfill' ? 'enqueue' : ON_BUSY[overlap],
    startAt: null,
    breakpoints: { before: [], after: [] },
    metadata: { ...metadata, schedule: id, scheduledAt: at },
    inherited: { channels: redaction.channels },
  };
  try {
    await startRun(deps, actorOf(schedule, deps.settings.roles), runId, wanted);
    return { outcome: 'started' };
  } catch (error) {
    if (mayPass(error)) throw error;
    if (error instanceof ApiError) return resultOfRefusal(kind, error);
    deps.logger.error({ error, schedule: id, run: runId }, 'a run of a schedule could not be started');
    return { outcome: 'failed', code: 'INTERNAL', message: 'The server failed; its log names the run' };
  }
}

/** A quota that is used up is no failure. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return isDatabaseAway(error);
  return error.code !== 'QUOTA_REACHED' && (error.status === 429 || error.status === 503);
}

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
    if (run) await sendSignal(deps, actor, run, { name: 'cancel', attempt, payload });
  }
}

/**
 * The person as whom the runs of a schedule act: its owner, with the roles of then.
 * @param known what these permit now
 */
function actorOf({ tenantId, owner, roles }: Schedule, known: Roles): Caller {
  return { tenantId, sub: owner, roles, permissions: permissionsOf(roles, known) };
}

/** What may keep a schedule from starting runs besides its other runs. */
export interface Bars {
  /** What roles permit now. */
  readonly roles: Roles;
  /** Why no run of the schedule may begin at the moment; `null`: one may. */
  readonly refusal: ApiError | null;
}

/** Says what becomes of a tick that starts no run, whatever its schedule's other runs do. @returns `null`: it may start one */
export function barTick(schedule: Schedule, kind: TickKind, { roles, refusal }: Bars): TickResult | null {
  if (schedule.paused && kind === 'time')
    return { outcome: 'skipped', code: 'PAUSED', message: 'The schedule is paused' };
  return lackOfRights(schedule, kind, roles) ?? (refusal && resultOfRefusal(kind, refusal));
}

/** A backfill waits for its turn, so it cancels nothing. */
function lackOfRights(schedule: Schedule, kind: TickKind, roles: Roles): TickResult | null {
  const { sub, permissions } = actorOf(schedule, roles);
  const forbidden = (what: string): TickResult => ({
    outcome: 'failed',
    code: 'FORBIDDEN',
    message: `${sub}, as whom the schedule acts, may ${what} no runs`,
  });
  if (!permissions.has('run:start')) return forbidden('start');
  const cancels = schedule.overlap === 'cancelOther' && kind !== 'backfill';
  return cancels && !permissions.has('run:control') ? forbidden('cancel') : null;
}

/** What stands around a tick when it is judged. */
export interface TickPlace {
  readonly kind: TickKind;
  /** A run of the schedule is not over. */
  readonly isBusy: boolean;
  /** An older tick waits. */
  readonly isBehind: boolean;
  /** A younger tick waits, too. */
  readonly isFollowed: boolean;
  /** No run may begin at the moment. */
  readonly isClosed: boolean;
}

export type TickVerdict = 'start' | 'wait' | 'skip' | 'cancel-others';

/** Judges a tick by the runs of its schedule. While none may begin, none is canceled for the next one. */
export function judgeTick(overlap: Overlap, place: TickPlace): TickVerdict {
  const verdict = place.kind === 'backfill' && overlap !== 'allow' ? judgeBackfill(place) : VERDICTS[overlap](place);
  return place.isClosed && verdict !== 'skip' ? 'wait' : verdict;
}

/** A time that a person has asked for afterwards is never skipped. */
function judgeBackfill({ isBusy, isBehind }: TickPlace): TickVerdict {
  return isBusy || isBehind ? 'wait' : 'start';
}

const VERDICTS: Readonly<Record<Overlap, (place: TickPlace) => TickVerdict>> = {
  allow: () => 'start',
  skip: ({ isBusy }) => (isBusy ? 'skip' : 'start'),
  buffer: ({ isBusy, isBehind }) => {
    if (isBehind) return 'skip';
    return isBusy ? 'wait' : 'start';
  },
  cancelOther: ({ isBusy, isFollowed }) => {
    if (isFollowed) return 'skip';
    return isBusy ? 'cancel-others' : 'start';
  },
};

type BarDeps = Pick<ApiDeps, 'store' | 'settings'>;

interface WaitingTicks {
  readonly schedule: Schedule;
  /** The oldest first. */
  readonly ticks: readonly Tick[];
  /** When nothing more is begun. */
  readonly endsAt: number;
}

/** The ticks that wait for other runs of the schedule alone, or for a quota. */
interface OpenTicks {
  readonly ticks: readonly Tick[];
  /** No run may begin at the moment. */
  readonly isClosed: boolean;
}

/** Settles the ticks that start no run, whatever other runs of the schedule do, so that they get in the way of no other tick. */
async function settleBarred(deps: BarDeps, { schedule, ticks, endsAt }: WaitingTicks): Promise<OpenTicks> {
  const { runs, scheduleTicks } = deps.store;
  const refusal = ticks.length === 0 ? null : await findRefusal(deps, schedule);
  const bars = { roles: deps.settings.roles, refusal };
  const open: Tick[] = [];
  for (const tick of ticks) {
    if (Date.now() >= endsAt) break;
    const result = barTick(schedule, tick.kind, bars);
    const mayBegin = !result && !refusal;
    const known = !mayBegin && (await runs.find(tick.runId)) ? ({ outcome: 'started' } as const) : result;
    if (known) await scheduleTicks.settle(schedule, tick, known);
    else open.push(tick);
  }
  return { ticks: open, isClosed: refusal !== null };
}

/** @returns why no run of the schedule may begin at the moment; `null`: one may */
async function findRefusal(deps: BarDeps, { tenantId, graph }: Schedule): Promise<ApiError | null> {
  const [name = graph] = graph.split('@');
  try {
    await requireMayStart(deps, { tenantId, id: NO_RUN });
    await requireGraphOn(deps, tenantId, name);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** All runs count against the quota. */
const NO_RUN = '';
