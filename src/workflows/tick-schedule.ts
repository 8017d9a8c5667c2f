import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import type { Activities } from '../activities/index.ts';
import { formatTimestamp } from '../graph/values/index.ts';
import { TASK_QUEUE } from './contract.ts';
import type { TickInput } from './schedule-contract.ts';

/** Temporal's own attribute of a workflow that a schedule starts: the time that the schedule names. */
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

const { takeTick } = proxyActivities<Pick<Activities, 'takeTick'>>({
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  summary: 'tick',
});

/** Takes one time of a schedule. What becomes of it is decided in the API, by the runs that are there then. */
export async function tickSchedule({ tenantId, scheduleId }: TickInput): Promise<void> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const at = typedSearchAttributes.get(SCHEDULED_AT) ?? startTime;
  await takeTick({ tenantId, scheduleId, at: formatTimestamp(at.getTime()) });
}
