import proto from '@temporalio/proto';
import type { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';

/** Temporal's ids of an execution of a workflow. */
export interface ExecutionReference {
  readonly workflowId: string;
  readonly runId: string;
}

/**
 * Checks whether this worker has completed the workflow task that the given event has started. For a closed execution it
 * returns true, because no task follows.
 * @throws when Temporal does not answer
 */
export type CompletedTaskCheck = (execution: ExecutionReference, startedEventId: number) => Promise<boolean>;

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Reads a page of a history backwards, the latest event first. @param token the token of the page; empty for the first */
export type ReadHistoryBackwards = (
  execution: ExecutionReference,
  token: Uint8Array,
) => Promise<{ readonly events: readonly HistoryEvent[]; readonly nextToken: Uint8Array }>;

const { EventType } = proto.temporal.api.enums.v1;

/** The most pages that are read; an older task counts as not completed. */
const MOST_PAGES = 3;

/** @param identity the identity of the worker */
export function createCompletedTaskCheck(readBackwards: ReadHistoryBackwards, identity: string): CompletedTaskCheck {
  return async (execution, startedEventId) => {
    let later: HistoryEvent | null = null;
    let token = new Uint8Array();
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { events, nextToken } = await readBackwards(execution, token);
      for (const event of events) {
        if (!later && isExecutionEnd(event)) return true;
        if (Number(event.eventId) <= startedEventId) return isStartedBy(event, identity) && isTaskCompletion(later);
        later = event;
      }
      if (nextToken.length === 0) return false;
      token = Uint8Array.from(nextToken);
    }
    return false;
  };
}

const END_EVENT_TYPES: ReadonlySet<unknown> = new Set([
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
]);

function isExecutionEnd({ eventType }: HistoryEvent): boolean {
  return END_EVENT_TYPES.has(eventType);
}

/** Another worker may have made local calls of its own in the same task, so the identity must be equal. */
function isStartedBy({ workflowTaskStartedEventAttributes: start }: HistoryEvent, identity: string): boolean {
  return start?.identity === identity;
}

function isTaskCompletion(event: HistoryEvent | null): boolean {
  return event?.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED;
}

const HISTORY_WITHIN_MS = 8_000;
/** The size of a page in transactions, each of which has one or more events. */
const TRANSACTIONS_PER_PAGE = 20;

export function historyReader(connection: NativeConnection, namespace: string): ReadHistoryBackwards {
  return async ({ workflowId, runId }, nextPageToken) => {
    const request = {
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: TRANSACTIONS_PER_PAGE,
      nextPageToken,
    };
    const page = await connection.withDeadline(
      Date.now() + HISTORY_WITHIN_MS,
      async () => await connection.workflowService.getWorkflowExecutionHistoryReverse(request),
    );
    return { events: page.history?.events ?? [], nextToken: page.nextPageToken };
  };
}
