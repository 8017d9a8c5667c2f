import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { ScheduleClient } from '@temporalio/client';
import { optionalDateToTs, tsToDate } from '@temporalio/common/lib/time.js';
import { toMs } from '../../graph/values/index.ts';
import { TASK_QUEUE } from '../../workflows/contract.ts';
import { TICK_SCHEDULE, toScheduleId, toTickId } from '../../workflows/schedule-contract.ts';
import type { TickInput } from '../../workflows/schedule-contract.ts';
import { ApiError } from '../http/errors.ts';
import { ifThere, orUnavailable } from './requests.ts';

/** The times of a schedule, as Temporal has them. */
export interface TimesOfSchedule {
  readonly cron: string | null;
  /** An ISO 8601 duration. */
  readonly every: string | null;
  readonly timeZone: string;
  readonly paused: boolean;
}

/** Schedules of Temporal, each of which starts the workflow that takes one time. All requests end soon. */
export interface TimedSchedules {
  /**
   * Makes a schedule, or changes the one that is there.
   * @throws ApiError 422 when Temporal does not take the times, 503
   */
  put(schedule: TickInput, times: TimesOfSchedule): Promise<void>;
  /** Deletes a schedule; without one it changes nothing. @throws ApiError 503 */
  remove(schedule: TickInput): Promise<void>;
  /** The next times, also of a paused schedule. @returns `null` when Temporal does not have it @throws ApiError 503 */
  nextTimes(schedule: TickInput): Promise<readonly string[] | null>;
  /** The times between two, up to a thousand. @returns `null` when Temporal does not have it @throws ApiError 503 */
  timesBetween(schedule: TickInput, from: string, to: string): Promise<readonly string[] | null>;
}

/** Fires that were missed while Temporal was unavailable are caught up within this time. */
const CATCHUP_WINDOW = '1 minute';
/** A time that no worker has taken by then is lost. */
const TAKEN_WITHIN = '1 day';

/** After this time, an answer shows a schedule without its next fire times. */
const SHOWN_WITHIN_MS = 3_000;

/** @param soon bounds the time of a request */
export function createTimedSchedules(
  client: ScheduleClient,
  soon: <T>(request: () => Promise<T>, withinMs?: number) => Promise<T>,
): TimedSchedules {
  const ask = async <T>(request: () => Promise<T>, withinMs?: number): Promise<T | null> =>
    await orUnavailable('Temporal', async () => await ifThere(soon(request, withinMs)));
  const handleOf = (schedule: TickInput) => client.getHandle(toScheduleId(schedule));
  return {
    async put(schedule, times) {
      const options = toOptions(schedule, times);
      const isKnown = await refusing(async () => await ask(async () => await createOrFind(client, options)));
      if (isKnown !== 'known') return;
      await refusing(async () => await ask(async () => await handleOf(schedule).update(() => options)));
    },
    remove: async (schedule) => void (await ask(async () => await handleOf(schedule).delete())),
    nextTimes: async (schedule) => {
      const found = await ask(async () => await handleOf(schedule).describe(), SHOWN_WITHIN_MS);
      return found && found.info.nextActionTimes.map((time) => time.toISOString());
    },
    timesBetween: async (schedule, from, to) => {
      const request = {
        namespace: client.options.namespace,
        scheduleId: toScheduleId(schedule),
        startTime: optionalDateToTs(new Date(from)) ?? null,
        endTime: optionalDateToTs(new Date(to)) ?? null,
      };
      const found = await ask(async () => (await client.workflowService.listScheduleMatchingTimes(request)).startTime);
      return found && found.map((time) => tsToDate(time).toISOString());
    },
  };
}

async function createOrFind(client: ScheduleClient, options: ReturnType<typeof toOptions>): Promise<'new' | 'known'> {
  try {
    await client.create(options);
    return 'new';
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return 'known';
    throw error;
  }
}

/** Overlapping runs are the API's to judge: Temporal sees only the workflows that take times, which end at once. */
function toOptions(schedule: TickInput, { cron, every, timeZone, paused }: TimesOfSchedule) {
  return {
    scheduleId: toScheduleId(schedule),
    spec: {
      ...(cron !== null && { cronExpressions: [cron] }),
      ...(every !== null && { intervals: [{ every: toMs(every) }] }),
      timezone: timeZone,
    },
    action: {
      type: 'startWorkflow' as const,
      workflowType: TICK_SCHEDULE,
      workflowId: toTickId(schedule),
      taskQueue: TASK_QUEUE,
      args: [schedule],
      workflowExecutionTimeout: TAKEN_WITHIN,
    },
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: CATCHUP_WINDOW },
    state: { paused },
  };
}

/** The client tells times that Temporal does not take by this error. */
async function refusing<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const issues = [{ path: '/cron', message: error.message }];
    throw new ApiError('INVALID_REQUEST', 'Temporal does not take these times', { issues, cause: error });
  }
}
