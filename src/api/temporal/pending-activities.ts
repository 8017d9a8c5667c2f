import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { temporal, google } from '@temporalio/proto';
import { toWorkflowId } from '../../workflows/contract.ts';
import type { RunReference } from '../../workflows/contract.ts';

/** An activity of a run that Temporal has scheduled and that has not ended. */
export interface PendingActivity {
  readonly id: string;
  /** The type of the activity, such as `callTool`. */
  readonly type: string;
  readonly state: 'scheduled' | 'started' | 'canceling' | 'paused' | 'unknown';
  readonly attempt: number;
  readonly scheduledAt: string | null;
  readonly lastStartedAt: string | null;
  readonly lastHeartbeatAt: string | null;
  readonly lastWorker: string | null;
  readonly lastFailure: string | null;
}

type Info = temporal.api.workflow.v1.IPendingActivityInfo;
const { PendingActivityState: State } = proto.temporal.api.enums.v1;

const STATES: ReadonlyMap<number, PendingActivity['state']> = new Map([
  [State.PENDING_ACTIVITY_STATE_SCHEDULED, 'scheduled'],
  [State.PENDING_ACTIVITY_STATE_STARTED, 'started'],
  [State.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED, 'canceling'],
  [State.PENDING_ACTIVITY_STATE_PAUSED, 'paused'],
]);

/**
 * Reads the activities of a run's workflow that have not ended.
 * @throws when Temporal does not answer or has no such workflow
 */
export async function readPendingActivities(
  { workflowService, options: { namespace } }: Client,
  run: RunReference,
): Promise<readonly PendingActivity[]> {
  const execution = { workflowId: toWorkflowId(run) };
  const { pendingActivities } = await workflowService.describeWorkflowExecution({ namespace, execution });
  return (pendingActivities ?? []).map(toPendingActivity);
}

function toPendingActivity(info: Info): PendingActivity {
  return {
    id: info.activityId ?? '',
    type: info.activityType?.name ?? '',
    state: STATES.get(info.state ?? -1) ?? 'unknown',
    attempt: info.attempt ?? 1,
    scheduledAt: toTime(info.scheduledTime),
    lastStartedAt: toTime(info.lastStartedTime),
    lastHeartbeatAt: toTime(info.lastHeartbeatTime),
    lastWorker: info.lastWorkerIdentity || null,
    lastFailure: info.lastFailure?.message ?? null,
  };
}

function toTime(time: google.protobuf.ITimestamp | null | undefined): string | null {
  const ms = Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000);
  return ms > 0 ? new Date(ms).toISOString() : null;
}
