import proto from '@temporalio/proto';
import type { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';

/** An execution of a workflow, by Temporal's ids. */
export interface ExecutionReference {
  readonly workflowId: string;
  readonly runId: string;
}

/**
 * Says if the workflow task that an event, by its id, has started was completed by this worker; of a closed execution always,
 * as no task follows. @throws when Temporal does not answer
 */
export type CompletedTaskCheck = (execution: ExecutionReference, startedEventId: number) => Promise<boolean>;

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Reads a page of a history from its end on, the latest event first. @param token of the page; empty: the first one */
export type ReadHistoryBackwards = (
  execution: ExecutionReference,
  token: Uint8Array,
) => Promise<{ readonly events: readonly HistoryEvent[]; readonly nextToken: Uint8Array }>;

const { EventType } = proto.temporal.api.enums.v1;

/** What is not among the latest events is given up. */
const MOST_PAGES = 3;

/** @param identity of the worker */
export function createCompletedTaskCheck(readBackwards: ReadHistoryBackwards, identity: string): CompletedTaskCheck {
  return async (execution, startedEventId) => {
    let later: HistoryEvent | null = null;
    let token = new Uint8Array();
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { events, nextToken } = await readBackwards(execution, token);
      for (const event of events) {
        if (!later && isEnd(event)) return true;
        if (Number(event.eventId) <= startedEventId) return isStart(event, identity) && isCompletion(later);
        later = event;
      }
      if (nextToken.length === 0) return false;
      token = Uint8Array.from(nextToken);
    }
    return false;
  };
}

const ENDS: ReadonlySet<unknown> = new Set([
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
]);

function isEnd({ eventType }: HistoryEvent): boolean {
  return ENDS.has(eventType);
}

/** Another worker may have made local calls of its own in the same task. */
function isStart({ workflowTaskStartedEventAttributes: start }: HistoryEvent, identity: string): boolean {
  return start?.identity === identity;
}

function isCompletion(event: HistoryEvent | null): boolean {
  return event?.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED;
}

const ANSWER_WITHIN_MS = 8_000;
/** In transactions, each of which has one event or several. */
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
