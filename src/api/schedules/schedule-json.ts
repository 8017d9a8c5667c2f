import pLimit from 'p-limit';
import type { RecordedFire, Schedule } from '../../store/schedules/schedule.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { createInputRedactor } from '../runs/redact-input.ts';
import type { RedactInputDeps } from '../runs/redact-input.ts';

const NEXT_TIMES = 5;
const LAST_RUNS = 5;
const REQUESTS_AT_ONCE = 16;
/** After this time, an answer shows the schedules that are left without their next times. */
const SHOWN_WITHIN_MS = 3_000;

type ShowDeps = RedactInputDeps & Pick<ApiDeps, 'engine'>;

/** Builds the answers for schedules, redacted for the caller. */
export async function toSchedulesJson(deps: ShowDeps, caller: Caller, schedules: readonly Schedule[]) {
  const graphs = schedules.map(({ graph }) => graph);
  const show = await createInputRedactor(deps, caller, graphs);
  const fires = await deps.store.scheduleFires.latest(schedules, LAST_RUNS);
  const atOnce = pLimit(REQUESTS_AT_ONCE);
  const until = Date.now() + SHOWN_WITHIN_MS;
  const nextTimes = await atOnce.map(schedules, async (one) => await nextTimesOf(deps, one, until));
  return schedules.map((schedule, index) => {
    const { tenantId: _, redaction, roles: __, revision: ___, ...fields } = schedule;
    return {
      ...fields,
      input: show({ ...schedule, redacted: redaction.channels }),
      nextTimes: nextTimes[index] ?? null,
      lastRuns: fires.get(schedule.id)?.map(toFireJson) ?? [],
    };
  });
}

/** Builds the answer for one schedule, redacted for the caller. */
export async function toOneScheduleJson(deps: ShowDeps, caller: Caller, schedule: Schedule) {
  const [shown] = await toSchedulesJson(deps, caller, [schedule]);
  if (!shown) throw new TypeError('A schedule has no answer');
  return shown;
}

/** Only a started fire has a run. */
export function toFireJson({ runId, outcome, ...fire }: RecordedFire) {
  return { ...fire, outcome, runId: outcome === 'started' ? runId : null };
}

/**
 * @param until the time, in milliseconds since 1970, until which Temporal must have answered
 * @returns `null` when Temporal does not answer in time or does not have the schedule yet, which the sweeper then creates
 */
async function nextTimesOf(
  { store, engine }: Pick<ApiDeps, 'store' | 'engine'>,
  schedule: Schedule,
  until: number,
): Promise<readonly string[] | null> {
  const withinMs = until - Date.now();
  if (withinMs <= 0) return null;
  try {
    const times = await engine.schedules.nextTimes(schedule, withinMs);
    if (times === null) await store.schedules.markUnsynced(schedule);
    return times && times.slice(0, NEXT_TIMES);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'UNAVAILABLE') return null;
    throw error;
  }
}
