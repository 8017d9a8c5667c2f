import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { optionalDateToTs, tsToDate } from '@temporalio/common/lib/time.js';
import { toMs } from '../../graph/values/index.ts';
import { FIRE_OVER, FIRE_SCHEDULE, TASK_QUEUE, toFireId, toScheduleId } from '../../workflows/contract.ts';
import type { FireInput } from '../../workflows/contract.ts';
import { ApiError } from '../http/errors.ts';
import { ifThere, orUnavailable } from './requests.ts';

/** The timing of a schedule in Temporal. */
export interface TimesOfSchedule {
  readonly cron: string | null;
  /** An ISO 8601 duration. */
  readonly every: string | null;
  readonly timeZone: string;
  readonly overlap: keyof typeof POLICIES;
  readonly paused: boolean;
}

/** A fire that a person triggers. */
export interface TriggeredFire {
  /** The whole second that identifies the fire. */
  readonly at: string;
  /** A repeated request with the same id fires only once. */
  readonly requestId: string;
}

/** Schedules in Temporal, each of which starts a workflow at its times. All requests have a short time limit. */
export interface TimedSchedules {
  /** Creates or updates a schedule. @throws ApiError 422 when Temporal refuses the times, 503 */
  put(schedule: FireInput, times: TimesOfSchedule): Promise<void>;
  /** Deletes a schedule if it exists. @throws ApiError 503 */
  remove(schedule: FireInput): Promise<void>;
  /**
   * Returns the next fire times, also of a paused schedule.
   * @returns `null` when Temporal does not have it
   * @throws ApiError 503
   */
  nextTimes(schedule: FireInput): Promise<readonly string[] | null>;
  /**
   * Returns the fire times between two times, up to a thousand.
   * @returns `null` when Temporal does not have the schedule
   * @throws ApiError 503
   */
  timesBetween(schedule: FireInput, from: string, to: string): Promise<readonly string[] | null>;
  /**
   * Fires a schedule under its overlap policy.
   * @returns `null` when Temporal does not have the schedule
   * @throws ApiError 503
   */
  trigger(schedule: FireInput, fire: TriggeredFire): Promise<true | null>;
  /**
   * Fires a schedule for times in the past, one after the other unless its runs may overlap.
   * @returns `null` when Temporal does not have the schedule
   * @throws ApiError 503
   */
  backfill(schedule: FireInput, times: readonly string[], overlap: keyof typeof POLICIES): Promise<true | null>;
  /** Returns true if the workflow of a fire is open, or Temporal may still start it. @throws ApiError 503 */
  mayFire(schedule: FireInput, at: string): Promise<boolean>;
  /** Terminates the workflow of a fire if it exists. @throws ApiError 503 */
  endFire(workflowId: string): Promise<void>;
}

/** Fires that were missed while Temporal was unavailable are caught up within this time. */
const CATCHUP_WINDOW = '1 minute';

/** After this time, an answer shows a schedule without its next fire times. */
const SHOWN_WITHIN_MS = 3_000;

/** What happens to a fire while an earlier run of the schedule is active. */
const POLICIES = {
  skip: ScheduleOverlapPolicy.SKIP,
  buffer: ScheduleOverlapPolicy.BUFFER_ONE,
  allow: ScheduleOverlapPolicy.ALLOW_ALL,
  cancelOther: ScheduleOverlapPolicy.CANCEL_OTHER,
} as const;

/** Limits the time of a request. */
type Soon = <T>(request: () => Promise<T>, withinMs?: number) => Promise<T>;
/** Makes a request to Temporal. @returns `null` when Temporal does not have the resource @throws ApiError 503 */
type Ask = <T>(request: () => Promise<T>, withinMs?: number) => Promise<T | null>;

export function createTimedSchedules(client: Client, soon: Soon): TimedSchedules {
  const { schedule: schedules, workflowService } = client;
  const { namespace } = schedules.options;
  const ask: Ask = async (request, withinMs) =>
    await orUnavailable('Temporal', async () => await ifThere(soon(request, withinMs)));
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

function createFires(
  { schedule: schedules, workflow, workflowService }: Client,
  ask: Ask,
): Pick<TimedSchedules, 'trigger' | 'backfill' | 'mayFire' | 'endFire'> {
  const { namespace, identity } = schedules.options;
  const handleOf = (schedule: FireInput) => schedules.getHandle(toScheduleId(schedule));
  return {
    trigger: async (schedule, { at, requestId }) => {
      const patch = { triggerImmediately: { scheduledTime: toTimestamp(at) } };
      // The SDK's `trigger` can't set the time of the fire, so the request is sent directly.
      const request = { namespace, identity, scheduleId: toScheduleId(schedule), requestId, patch };
      const send = async (): Promise<true> => {
        await workflowService.patchSchedule(request);
        return true;
      };
      return await ask(send);
    },
    backfill: async (schedule, times, overlap) => {
      const policy = overlap === 'allow' ? ScheduleOverlapPolicy.ALLOW_ALL : ScheduleOverlapPolicy.BUFFER_ALL;
      const spans = times.map((at) => ({ start: new Date(at), end: new Date(at), overlap: policy }));
      const send = async (): Promise<true> => {
        await handleOf(schedule).backfill(spans);
        return true;
      };
      return await ask(send);
    },
    mayFire: async (schedule, at) => {
      const fire = workflow.getHandle(toFireWorkflowId(schedule, at));
      const found = await ask(async () => await fire.describe());
      if (found?.status.name === 'RUNNING') return true;
      const described = await ask(async () => await handleOf(schedule).describe());
      return described !== null && (described.raw.info?.bufferSize?.toNumber() ?? 0) > 0;
    },
    endFire: async (workflowId) => void (await ask(async () => await workflow.getHandle(workflowId).signal(FIRE_OVER))),
  };
}

const toTimestamp = (at: string) => optionalDateToTs(new Date(at)) ?? null;

/** Temporal appends the time of the fire in whole seconds. */
function toFireWorkflowId(schedule: FireInput, at: string): string {
  return `${toFireId(schedule)}-${new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')}`;
}

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

function toOptions(schedule: FireInput, { cron, every, timeZone, overlap, paused }: TimesOfSchedule) {
  return {
    scheduleId: toScheduleId(schedule),
    spec: {
      ...(cron !== null && { cronExpressions: [cron] }),
      ...(every !== null && { intervals: [{ every: toMs(every) }] }),
      timezone: timeZone,
    },
    action: {
      type: 'startWorkflow' as const,
      workflowType: FIRE_SCHEDULE,
      workflowId: toFireId(schedule),
      taskQueue: TASK_QUEUE,
      args: [schedule],
    },
    policies: { overlap: POLICIES[overlap], catchupWindow: CATCHUP_WINDOW },
    state: { paused },
  };
}

/** The client reports times that Temporal refuses by this error. */
async function refusing<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const issues = [{ path: '/cron', message: error.message }];
    throw new ApiError('INVALID_REQUEST', 'Temporal does not take these times', { issues, cause: error });
  }
}
