import { isDatabaseAway } from '../../store/database/database-away.ts';
import type { Overlap, Schedule, Tick, TickResult } from '../../store/schedules/schedule.ts';
import type { NewRun } from '../../store/accept-run.ts';
import { ApiError } from '../http/errors.ts';
import { startRun } from '../runs/start-run.ts';
import type { StartDeps } from '../runs/start-run.ts';
import { actorOf } from './actor-of.ts';
import { resultOfRefusal } from './result-of-refusal.ts';

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
    await startRun(deps, actorOf(schedule, deps.settings.roles), { id: runId, wanted });
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
