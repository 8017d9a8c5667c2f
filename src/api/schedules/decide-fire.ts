import type { DueFire } from '../../store/schedules/schedule-fires.ts';
import type { FireKind, FireResult, Overlap, Schedule } from '../../store/schedules/schedule.ts';
import { ApiError } from '../http/errors.ts';
import type { ApiErrorCode } from '../http/errors.ts';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import type { NewRun } from '../../store/accept-run.ts';
import { plainRun, startRun } from '../runs/start-run.ts';
import type { ApiDeps } from '../deps.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { permissionsOf } from '../../graph/definition/index.ts';
import type { Roles } from '../../graph/definition/index.ts';
import type { Caller } from '../http/authenticate.ts';
import { requireMayStart, requireGraphSwitchedOn } from '../administration/require-may-start.ts';

export type FireDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'catalog' | 'settings' | 'logger'>;

/** The result of a fire that starts no run because of another one. */
export const OVERLAPPED: FireResult = {
  outcome: 'skipped',
  code: 'OVERLAP',
  message: 'Another run of the schedule has not ended, or a later fire takes its place',
};

/**
 * Decides about a pending fire whose workflow is open: starts its run, or refuses it. The same fire again starts no second
 * run.
 * @returns `null` when it waits for another run or for a quota
 * @throws when it may succeed later
 */
export async function decideFire(deps: FireDeps, schedule: Schedule, fire: DueFire): Promise<FireResult | null> {
  if (await deps.store.runs.find(fire.runId)) return { outcome: 'started' };
  if (fire.isCanceled) return OVERLAPPED;
  if (schedule.paused && fire.kind === 'time')
    return { outcome: 'skipped', code: 'PAUSED', message: 'The schedule is paused' };
  const forbidden = lackOfRights(schedule, fire.kind, deps.settings.roles);
  if (forbidden) return forbidden;
  const active = schedule.overlap === 'allow' ? [] : await deps.store.scheduleFires.activeBeside(fire);
  const runIds = active.filter(({ outcome }) => outcome === 'started').map(({ runId }) => runId);
  return runIds.length === 0 ? await startFire(deps, schedule, fire) : await decideBeside(deps, schedule, fire, runIds);
}

/** A backfill waits until other runs have ended, so it cancels none. */
function lackOfRights(schedule: Schedule, kind: FireKind, roles: Roles): FireResult | null {
  const { sub, permissions } = ownerOf(schedule, roles);
  const cancels = schedule.overlap === 'cancelOther' && kind !== 'backfill';
  const verb = permissions.has('run:start') ? cancels && !permissions.has('run:control') && 'cancel' : 'start';
  if (!verb) return null;
  return { outcome: 'failed', code: 'FORBIDDEN', message: `${sub}, as whom the schedule acts, may ${verb} no runs` };
}

/**
 * Decides about a fire beside runs of which Temporal does not know: their workflows have not overlapped (`allow`) when they
 * started, or they were reopened.
 */
async function decideBeside(
  deps: FireDeps,
  schedule: Schedule,
  { kind }: DueFire,
  runIds: readonly string[],
): Promise<FireResult | null> {
  if (kind === 'backfill' || schedule.overlap === 'buffer') return null;
  if (schedule.overlap === 'skip') return OVERLAPPED;
  for (const runId of runIds) await cancelRun(deps, schedule, runId);
  return null;
}

/** What a run does while another run of its thread has not ended. */
const ON_BUSY: Readonly<Record<Overlap, NewRun['onBusy']>> = {
  skip: 'reject',
  buffer: 'enqueue',
  allow: 'enqueue',
  cancelOther: 'interrupt',
};

/** Starts the run of a fire as `POST /api/runs` does. */
async function startFire(deps: FireDeps, schedule: Schedule, { at, kind, runId }: DueFire): Promise<FireResult | null> {
  const { id, graph, input, limits, metadata, threadId, overlap, redaction } = schedule;
  const wanted = plainRun({
    graph,
    input,
    limits,
    threadId,
    onBusy: kind === 'backfill' ? 'enqueue' : ON_BUSY[overlap],
    metadata: { ...metadata, schedule: id, scheduledAt: at },
    inherited: { channels: redaction.channels },
  });
  try {
    await startRun(deps, ownerOf(schedule, deps.settings.roles), runId, wanted);
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

/** The refusals of new runs that end when a new day begins, or when an administrator says so. */
const CLOSED: ReadonlySet<ApiErrorCode> = new Set(['QUOTA_REACHED', 'TENANT_SUSPENDED', 'SWITCHED_OFF']);

/**
 * The result of a fire whose run is refused. A time is skipped while no run may begin: times that waited would all start
 * together at the end of it, past any quota.
 * @returns `null` when the fire waits because a person has asked for it; a trigger waits for a quota only
 */
function resultOfRefusal(kind: FireKind, { code, message }: ApiError): FireResult | null {
  if (CLOSED.has(code) && kind === 'time') return { outcome: 'skipped', code, message };
  if (CLOSED.has(code) && (kind === 'backfill' || code === 'QUOTA_REACHED')) return null;
  return { outcome: code === 'THREAD_BUSY' ? 'skipped' : 'failed', code, message };
}

/**
 * Cancels a run of a schedule by its own signal, so that it compensates. It may be repeated until the run has ended. The run
 * continues while the owner may cancel none, or while no other run may begin in its place.
 * @throws when it may succeed later
 */
export async function cancelRun(deps: FireDeps, schedule: Schedule, runId: string): Promise<void> {
  const owner = ownerOf(schedule, deps.settings.roles);
  const run = await deps.store.runs.find(runId);
  if (!run || !owner.permissions.has('run:control') || !(await mayStartNow(deps, schedule))) return;
  const payload = { reason: `The schedule ${schedule.id} starts its next run` };
  // The signal has the same id each time, so that the run takes it once.
  const attempt = { id: `${runId}.overlap`, isRepetition: true };
  await sendSignal(deps, owner, run, { name: 'cancel', attempt, payload });
}

/** @returns false while the tenant may start no run, or its graph is switched off */
async function mayStartNow(deps: FireDeps, { tenantId, graph }: Schedule): Promise<boolean> {
  const [name = graph] = graph.split('@');
  try {
    // All runs count against the quota, so no run is named.
    await requireMayStart(deps, { tenantId, id: '' });
    await requireGraphSwitchedOn(deps, tenantId, name);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/**
 * The person as whom the runs of a schedule act: its owner, with the roles that the owner had when changing it.
 * @param known what these roles permit now
 */
function ownerOf({ tenantId, owner, roles }: Schedule, known: Roles): Caller {
  return { tenantId, sub: owner, roles, permissions: permissionsOf(roles, known) };
}
