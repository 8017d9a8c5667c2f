import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import type { Activities } from '../activities/index.ts';
import { formatTimestamp } from '../graph/values/index.ts';
import { followCurrentVersion } from './continue-as-new.ts';
import { FIRE_OVER, TASK_QUEUE } from './contract.ts';
import type { FireInput } from './contract.ts';

/** Temporal's own attribute of a workflow that a schedule starts: the time that the schedule names. */
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/** A time that no worker has taken by then is lost. */
const TAKEN_WITHIN_MS = 86_400_000;

const { openFire, cancelFire } = proxyActivities<Pick<Activities, 'openFire' | 'cancelFire'>>({
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  summary: 'fire',
});

/**
 * Fires a schedule once, and is open until the run is over: by that Temporal applies the schedule's overlap policy. The API
 * accepts the run or refuses it, and sends the signal.
 */
export async function fireSchedule({ tenantId, scheduleId }: FireInput): Promise<void> {
  followCurrentVersion();
  const { typedSearchAttributes, startTime, workflowId } = workflowInfo();
  if (Date.now() - startTime.getTime() > TAKEN_WITHIN_MS) return;
  let isOver = false;
  setHandler(defineSignal(FIRE_OVER), () => void (isOver = true));
  const at = formatTimestamp((typedSearchAttributes.get(SCHEDULED_AT) ?? startTime).getTime());
  const fire = { tenantId, scheduleId, at, workflowId };
  if (!(await CancellationScope.nonCancellable(async () => await openFire(fire)))) return;
  try {
    await condition(() => isOver);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await cancelFire(fire);
      await condition(() => isOver);
    });
  }
}
