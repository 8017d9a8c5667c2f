import {
  CancellationScope,
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import type { Activities } from '../activities/index.ts';
import { formatTimestamp } from '../graph/values/index.ts';
import { isVersioned } from './continue-as-new.ts';
import { TASK_QUEUE } from './contract.ts';
import { FIRE_OVER, fromTemporalTime, isTriggerTime } from './schedule-contract.ts';
import type { FireInput } from './schedule-contract.ts';

/** Temporal's own attribute of a workflow that a schedule starts: the time that the schedule names. */
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/** A time that no worker has taken by then is lost. */
const TAKEN_WITHIN_MS = 86_400_000;

/** The fire is recorded again at growing intervals, in case the signal has not arrived. */
const FIRST_CHECK_AFTER_MS = 60_000;
const MAX_CHECK_AFTER_MS = 86_400_000;

const { recordFire } = proxyActivities<Pick<Activities, 'recordFire'>>({
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  summary: 'fire',
});

/**
 * Fires a schedule once. It is open until the run of the fire has ended, so that Temporal applies the overlap policy. The API
 * starts the run, and cancels it if Temporal has canceled this workflow.
 */
export async function fireSchedule({ tenantId, id }: FireInput): Promise<void> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const fire = {
    tenantId,
    id,
    at: fromTemporalTime((typedSearchAttributes.get(SCHEDULED_AT) ?? startTime).getTime()),
    openedAt: formatTimestamp(startTime.getTime()),
    isLate: Date.now() - startTime.getTime() > TAKEN_WITHIN_MS,
  };
  setCurrentDetails(formatFire(fire.at));
  const outside = CancellationScope.current();
  const run = { isOver: false };
  setHandler(defineSignal(FIRE_OVER), () => void (run.isOver = true));
  await CancellationScope.nonCancellable(async () => {
    for (let waitMs = FIRST_CHECK_AFTER_MS; !run.isOver; waitMs = Math.min(waitMs * 2, MAX_CHECK_AFTER_MS)) {
      const isCanceled = outside.consideredCancelled;
      if (!(await recordFire({ ...fire, isCanceled }))) return;
      await condition(() => run.isOver || outside.consideredCancelled !== isCanceled, waitMs);
    }
  });
}

/** Names the fire in Temporal's Web UI, which shows triggers by another time. */
function formatFire(at: string): string {
  return isTriggerTime(at) ? `A trigger at ${at}` : `The time ${at}`;
}

// A run may be open for weeks, and its fire must not keep an old version of the workers alive.
setWorkflowOptions(() => (isVersioned() ? { versioningBehavior: 'AUTO_UPGRADE' } : {}), fireSchedule);
