import type { DueFire } from '../../store/schedules/schedule-fires.ts';
import type { Fire, FireResult, Overlap, Schedule } from '../../store/schedules/schedule.ts';
import { ApiError } from '../http/errors.ts';
import type { ApiErrorCode } from '../http/errors.ts';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import type { NewRun } from '../../store/accept-run.ts';
import { startRun } from '../runs/start-run.ts';
import type { ApiDeps } from '../deps.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { permissionsOf } from '../../graph/definition/index.ts';
import type { Permission, Roles } from '../../graph/definition/index.ts';
import type { Caller } from '../http/authenticate.ts';
import { requireGraphOn } from '../administration/set-switch.ts';
import { requireMayStart } from '../administration/require-may-start.ts';

export type FireDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'catalog' | 'settings' | 'logger'>;

/**
 * Handles a fire: starts its run, cancels it, or ends its workflow once the run has ended. The fire must be claimed.
 * @throws when a later attempt may succeed
 */
export async function tendFire(deps: FireDeps, fire: DueFire): Promise<void> {
  const { schedules, scheduleFires } = deps.store;
  const schedule = fire.isOver ? null : await schedules.find({ tenantId: fire.tenantId, id: fire.scheduleId });
  if (!schedule) return await endFire(deps, fire);
  if (fire.outcome === 'started') {
    await cancelRun(deps, schedule, fire);
    await scheduleFires.cancelAnswered(fire);
  } else if (fire.workflowId === null) await lookForWorkflow(deps, fire);
  else await scheduleFires.decide(fire, await decideFire(deps, schedule, fire));
}

async function endFire({ engine, store }: FireDeps, fire: DueFire): Promise<void> {
  if (fire.workflowId !== null) await engine.schedules.endFire(fire.workflowId);
  await store.scheduleFires.close(fire);
}

/** The interval of checks whether Temporal still intends to start the workflow, which may wait for another one. */
const LOOK_AGAIN_MS = 30_000;

/** Decides about a fire that a person has requested and that Temporal has not started. */
async function lookForWorkflow({ engine, store }: FireDeps, fire: DueFire): Promise<void> {
  if (await engine.schedules.mayFire(fire, fire.at))
    await store.scheduleFires.postpone(fire, new Date(Date.now() + LOOK_AGAIN_MS).toISOString());
  else await store.scheduleFires.decide(fire, OVERLAPPED);
}

/** The result of a fire for which Temporal has started no workflow. */
export const OVERLAPPED: FireResult = {
  outcome: 'skipped',
  code: 'OVERLAP',
  message: 'Another run of the schedule is not over',
};

/**
 * Starts the run of a fire as `POST /api/runs` does, or refuses it. Repeating it for the same fire starts no second
 * run.
 * @throws when a later attempt may succeed
 */
export async function decideFire(deps: FireDeps, schedule: Schedule, fire: Fire): Promise<FireResult> {
  if (await deps.store.runs.find(fire.runId)) return { outcome: 'started' };
  if (schedule.paused && fire.kind === 'time')
    return { outcome: 'skipped', code: 'PAUSED', message: 'The schedule is paused' };
  return lackOfRights(schedule, fire, deps.settings.roles) ?? (await startFire(deps, schedule, fire));
}

/** A backfill waits until other runs have ended, so it never cancels one. */
function lackOfRights(schedule: Schedule, { kind }: Fire, roles: Roles): FireResult | null {
  const { sub, permissions } = ownerOf(schedule, roles);
  const cancels = schedule.overlap === 'cancelOther' && kind !== 'backfill';
  const needed: readonly Permission[] = ['run:start', ...(cancels ? (['run:control'] as const) : [])];
  const missing = needed.find((permission) => !permissions.has(permission));
  if (!missing) return null;
  const message = `${sub}, as whom the schedule acts, may ${missing === 'run:start' ? 'start' : 'cancel'} no runs`;
  return { outcome: 'failed', code: 'FORBIDDEN', message };
}

/** What happens to a new run while another run of its thread is active. */
const ON_BUSY: Readonly<Record<Overlap, NewRun['onBusy']>> = {
  skip: 'reject',
  buffer: 'enqueue',
  allow: 'enqueue',
  cancelOther: 'interrupt',
};

async function startFire(deps: FireDeps, schedule: Schedule, { at, kind, runId }: Fire): Promise<FireResult> {
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
    await startRun(deps, ownerOf(schedule, deps.settings.roles), { id: runId, wanted });
    return { outcome: 'started' };
  } catch (error) {
    if (mayPass(error)) throw error;
    if (error instanceof ApiError) {
      const { code, message } = error;
      return { outcome: REFUSALS.has(code) ? 'skipped' : 'failed', code, message };
    }
    deps.logger.error({ error, schedule: id, run: runId }, 'a run of a schedule could not be started');
    return { outcome: 'failed', code: 'INTERNAL', message: 'The server failed; its log names the run' };
  }
}

/** Refusals that do not concern the schedule itself; a later fire may start a run. */
const REFUSALS: ReadonlySet<ApiErrorCode> = new Set([
  'QUOTA_REACHED',
  'TENANT_SUSPENDED',
  'SWITCHED_OFF',
  'THREAD_BUSY',
]);

/** A used-up quota is a temporary refusal. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return isDatabaseAway(error);
  return error.code !== 'QUOTA_REACHED' && (error.status === 429 || error.status === 503);
}

/**
 * Cancels the run of a fire by a signal, so that the run is compensated. The run continues if the owner may not cancel
 * runs, or if the run that replaces it could not start now.
 */
async function cancelRun(deps: FireDeps, schedule: Schedule, { runId }: Fire): Promise<void> {
  const owner = ownerOf(schedule, deps.settings.roles);
  const run = await deps.store.runs.find(runId);
  if (!run || !owner.permissions.has('run:control') || !(await mayStartNow(deps, schedule))) return;
  const payload = { reason: `The schedule ${schedule.id} starts its next run` };
  // The id is always the same, so that a run that has accepted the cancel is not asked again.
  const attempt = { id: `${runId}.overlap`, isRepetition: true };
  await sendSignal(deps, owner, { run, signal: { name: 'cancel', attempt, payload } });
}

async function mayStartNow(deps: FireDeps, { tenantId, graph }: Schedule): Promise<boolean> {
  const [name = graph] = graph.split('@');
  try {
    await requireMayStart(deps, { tenantId, id: NO_RUN });
    await requireGraphOn(deps, { name, tenantId });
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** No run is excluded from the quota. */
const NO_RUN = '';

/**
 * Returns the caller on whose behalf the runs of a schedule act: its owner, with the stored roles.
 * @param known the current permissions of these roles
 */
function ownerOf({ tenantId, owner, roles }: Schedule, known: Roles): Caller {
  return { tenantId, sub: owner, roles, permissions: permissionsOf(roles, known) };
}
