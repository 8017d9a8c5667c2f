import proto from '@temporalio/proto';
import type { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';

/** An execution of a workflow, by Temporal's ids. */
export interface ExecutionReference {
  readonly workflowId: string;
  readonly runId: string;
}

/** Says if the workflow task that an event, by its id, has started was completed. @throws when Temporal does not answer */
export type CompletedTaskCheck = (execution: ExecutionReference, startedEventId: number) => Promise<boolean>;

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Reads a page of a history from its end on, the latest event first. @param token of the page; empty: the first one */
export type ReadHistoryBackwards = (
  execution: ExecutionReference,
  token: Uint8Array,
) => Promise<{ readonly events: readonly HistoryEvent[]; readonly nextToken: Uint8Array }>;

const { EventType } = proto.temporal.api.enums.v1;

export function createCompletedTaskCheck(readBackwards: ReadHistoryBackwards): CompletedTaskCheck {
  return async (execution, startedEventId) => {
    let later: HistoryEvent | null = null;
    for (let token = new Uint8Array(); ;) {
      const { events, nextToken } = await readBackwards(execution, token);
      for (const event of events) {
        if (Number(event.eventId) <= startedEventId) return isCompleted(event, later);
        later = event;
      }
      if (nextToken.length === 0) return false;
      token = Uint8Array.from(nextToken);
    }
  };
}

function isCompleted(event: HistoryEvent, next: HistoryEvent | null): boolean {
  return (
    event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED &&
    next?.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
  );
}

const ANSWER_WITHIN_MS = 8_000;
/** In events. What is looked for is among the latest ones. */
const PAGE = 20;

export function historyReader(connection: NativeConnection, namespace: string): ReadHistoryBackwards {
  return async ({ workflowId, runId }, nextPageToken) => {
    const request = { namespace, execution: { workflowId, runId }, maximumPageSize: PAGE, nextPageToken };
    const page = await connection.withDeadline(
      Date.now() + ANSWER_WITHIN_MS,
      async () => await connection.workflowService.getWorkflowExecutionHistoryReverse(request),
    );
    return { events: page.history?.events ?? [], nextToken: page.nextPageToken };
  };
}
