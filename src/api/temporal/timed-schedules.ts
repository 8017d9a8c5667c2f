import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { optionalDateToTs, tsToDate } from '@temporalio/common/lib/time.js';
import { ulid } from 'ulid';
import { toMs } from '../../graph/values/index.ts';
import type { Overlap, ScheduleTerms } from '../../store/schedules/schedule.ts';
import { TASK_QUEUE } from '../../workflows/contract.ts';
import {
  FIRE_OVER,
  FIRE_SCHEDULE,
  toFireId,
  toFireWorkflowId,
  toScheduleId,
  toTemporalTime,
} from '../../workflows/schedule-contract.ts';
import type { FireInput } from '../../workflows/schedule-contract.ts';
import { ApiError } from '../http/errors.ts';
import { nullIfNotFound, orUnavailable } from './requests.ts';

/** What a fire does in Temporal while the workflow of an earlier one is open. */
const POLICIES: Readonly<Record<Overlap, ScheduleOverlapPolicy>> = {
  skip: ScheduleOverlapPolicy.SKIP,
  buffer: ScheduleOverlapPolicy.BUFFER_ONE,
  allow: ScheduleOverlapPolicy.ALLOW_ALL,
  cancelOther: ScheduleOverlapPolicy.CANCEL_OTHER,
};

/** The part of a schedule that Temporal has. */
export type TimesOfSchedule = Pick<ScheduleTerms, 'cron' | 'every' | 'timeZone' | 'overlap' | 'paused'>;

/** Schedules of Temporal, each of which starts a workflow at its times. All requests end soon. */
export interface TimedSchedules {
  /**
   * Makes a schedule, or changes the one that is there.
   * @throws ApiError 422 when Temporal does not take the times, 503
   */
  put(schedule: FireInput, times: TimesOfSchedule): Promise<void>;
  /** Deletes a schedule; without one it changes nothing. @throws ApiError 503 */
  remove(schedule: FireInput): Promise<void>;
  /** The next times, also of a paused schedule. @returns `null` when Temporal does not have it @throws ApiError 503 */
  nextTimes(schedule: FireInput): Promise<readonly string[] | null>;
  /** The times between two, up to a thousand. @returns `null` when Temporal does not have it @throws ApiError 503 */
  timesBetween(schedule: FireInput, from: string, to: string): Promise<readonly string[] | null>;
  /** Fires a schedule once, by its overlap policy. @returns `null` when Temporal does not have it @throws ApiError 503 */
  trigger(schedule: FireInput, at: string): Promise<true | null>;
  /**
   * Fires a schedule at times that are over: one after the other, unless its runs may overlap.
   * @returns `null` when Temporal does not have the schedule
   * @throws ApiError 503
   */
  backfill(schedule: FireInput, times: readonly string[], overlap: Overlap): Promise<true | null>;
  /** True if the workflow of a fire is open, or Temporal may still start it. @throws ApiError 503 */
  mayFire(schedule: FireInput, at: string): Promise<boolean>;
  /** Ends the workflow of a fire; without one it changes nothing. @throws ApiError 503 */
  endFire(schedule: FireInput, at: string): Promise<void>;
}

/** Fires that were missed while Temporal was unavailable are caught up within this time. */
const CATCHUP_WINDOW = '1 minute';

/** After this time, an answer shows a schedule without its next fire times. */
const SHOWN_WITHIN_MS = 3_000;

/** Bounds the time of a request. */
type Soon = <T>(request: () => Promise<T>, withinMs?: number) => Promise<T>;
/** Makes a request to Temporal. @returns `null` when it does not have what is asked for @throws ApiError 503 */
type Ask = <T>(request: () => Promise<T>, withinMs?: number) => Promise<T | null>;

export function createTimedSchedules(client: Client, soon: Soon): TimedSchedules {
  const { schedule: schedules, workflowService } = client;
  const { namespace } = schedules.options;
  const ask: Ask = async (request, withinMs) =>
    await orUnavailable('Temporal', async () => await nullIfNotFound(soon(request, withinMs)));
  const handleOf = (schedule: FireInput) => schedules.getHandle(toScheduleId(schedule));
  return {
    async put(schedule, times) {
      const options = toOptions(schedule, times);
      const isKnown = await refusing(async () => await ask(async () => await createOrFind(schedules, options)));
      if (isKnown !== 'known') return;
      await refusing(async () => await ask(async () => await handleOf(schedule).update(() => options)));
    },
    remove: async (schedule) => void (await ask(async () => await handleOf(schedule).delete())),
    nextTimes: async (schedule) => {
      const found = await ask(async () => await handleOf(schedule).describe(), SHOWN_WITHIN_MS);
      return found && found.info.nextActionTimes.map((time) => time.toISOString());
    },
    timesBetween: async (schedule, from, to) => {
      const scheduleId = toScheduleId(schedule);
      const request = { namespace, scheduleId, startTime: toTimestamp(from), endTime: toTimestamp(to) };
      const found = await ask(async () => (await workflowService.listScheduleMatchingTimes(request)).startTime);
      return found && found.map((time) => tsToDate(time).toISOString());
    },
    ...createFires(client, ask),
  };
}

/** The workflows of single fires. */
function createFires(
  { schedule: schedules, workflow, workflowService }: Client,
  ask: Ask,
): Pick<TimedSchedules, 'trigger' | 'backfill' | 'mayFire' | 'endFire'> {
  const { namespace, identity } = schedules.options;
  const handleOf = (schedule: FireInput) => schedules.getHandle(toScheduleId(schedule));
  const workflowOf = (schedule: FireInput, at: string) => workflow.getHandle(toFireWorkflowId(schedule, at));
  return {
    trigger: async (schedule, at) => {
      // The SDK's own method sets no time. Servers before 1.29 ignore it.
      const patch = { triggerImmediately: { scheduledTime: toTimestamp(toTemporalTime(at)) } };
      const request = { namespace, identity, scheduleId: toScheduleId(schedule), requestId: ulid(), patch };
      return await ask(async () => await workflowService.patchSchedule(request).then(() => true as const));
    },
    backfill: async (schedule, times, overlap) => {
      const policy = overlap === 'allow' ? ScheduleOverlapPolicy.ALLOW_ALL : ScheduleOverlapPolicy.BUFFER_ALL;
      const spans = times.map((at) => ({ start: new Date(at), end: new Date(at), overlap: policy }));
      return await ask(
        async () =>
          await handleOf(schedule)
            .backfill(spans)
            .then(() => true as const),
      );
    },
    mayFire: async (schedule, at) => {
      // A fire leaves the buffer before its workflow starts, so the workflow is read last.
      const described = await ask(async () => await handleOf(schedule).describe());
      if (Number(described?.raw.info?.bufferSize ?? 0) > 0) return true;
      const found = await ask(async () => await workflowOf(schedule, at).describe());
      return found?.status.name === 'RUNNING';
    },
    endFire: async (schedule, at) => void (await ask(async () => await workflowOf(schedule, at).signal(FIRE_OVER))),
  };
}

const toTimestamp = (at: string) => optionalDateToTs(new Date(at)) ?? null;

async function createOrFind(
  client: Client['schedule'],
  options: ReturnType<typeof toOptions>,
): Promise<'new' | 'known'> {
  try {
    await client.create(options);
    return 'new';
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return 'known';
    throw error;
  }
}

function toOptions({ tenantId, id }: FireInput, { cron, every, timeZone, overlap, paused }: TimesOfSchedule) {
  const input: FireInput = { tenantId, id };
  return {
    scheduleId: toScheduleId(input),
    spec: {
      ...(cron !== null && { cronExpressions: [cron] }),
      ...(every !== null && { intervals: [{ every: toMs(every) }] }),
      timezone: timeZone,
    },
    action: {
      type: 'startWorkflow' as const,
      workflowType: FIRE_SCHEDULE,
      workflowId: toFireId(input),
      taskQueue: TASK_QUEUE,
      args: [input],
    },
    policies: { overlap: POLICIES[overlap], catchupWindow: CATCHUP_WINDOW },
    state: { paused },
  };
}

/** The client reports times that Temporal does not take by this error. */
async function refusing<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const issues = [{ path: '/cron', message: error.message }];
    throw new ApiError('INVALID_REQUEST', 'Temporal does not take these times', { issues, cause: error });
  }
}
