import { permissionsOf } from '../../graph/definition/index.ts';
import type { Roles } from '../../graph/definition/index.ts';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import type { Overlap, Schedule, Tick, TickResult } from '../../store/schedules/schedule.ts';
import type { NewRun } from '../../store/accept-run.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import type { ApiErrorCode } from '../http/errors.ts';
import { startRun } from '../runs/start-run.ts';
import type { StartDeps } from '../runs/start-run.ts';

/**
 * The person as whom the runs of a schedule act: the one who has changed it last, with the roles of then.
 * @param known what these permit now
 */
export function actorOf({ tenantId, updatedBy, roles }: Schedule, known: Roles): Caller {
  return { tenantId, sub: updatedBy, roles, permissions: permissionsOf(roles, known) };
}

/** What a run does while another run of its thread is not over. */
const ON_BUSY: Readonly<Record<Overlap, NewRun['onBusy']>> = {
  skip: 'reject',
  buffer: 'enqueue',
  allow: 'enqueue',
  cancelOther: 'interrupt',
};

/**
 * Starts the run of a tick, as `POST /api/runs` does; the same tick again makes no second run.
 * @throws when it may succeed later
 */
export async function startTick(deps: StartDeps, schedule: Schedule, { at, kind, runId }: Tick): Promise<TickResult> {
  const { id, graph, input, limits, metadata, threadId, overlap, redaction } = schedule;
  const actor = actorOf(schedule, deps.settings.roles);
  if (!actor.permissions.has('run:start'))
    return failed('FORBIDDEN', `${actor.sub}, who has changed the schedule last, may start no runs`);
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
    await startRun(deps, actor, { id: runId, wanted });
    return { outcome: 'started' };
  } catch (error) {
    if (isClosed(error) && kind === 'time') return { outcome: 'skipped', code: error.code, message: error.message };
    if (mayPass(error)) throw error;
    if (!(error instanceof ApiError)) {
      deps.logger.error({ error, schedule: id, run: runId }, 'a run of a schedule could not be started');
      return failed('INTERNAL', 'The server failed; its log names the run');
    }
    const { code, message } = error;
    return code === 'THREAD_BUSY' ? { outcome: 'skipped', code, message } : failed(code, message);
  }
}

/** The refusals of new runs that end when a new day begins, or when an administrator says so. */
const CLOSED: ReadonlySet<ApiErrorCode> = new Set(['QUOTA_REACHED', 'TENANT_SUSPENDED', 'SWITCHED_OFF']);

/** A time is left out then: times that waited would all start together at the end of it, past any quota. */
function isClosed(error: unknown): error is ApiError {
  return error instanceof ApiError && CLOSED.has(error.code);
}

function mayPass(error: unknown): boolean {
  return error instanceof ApiError ? error.status === 429 || error.status === 503 : isDatabaseAway(error);
}

function failed(code: string, message: string): TickResult {
  return { outcome: 'failed', code, message };
}
