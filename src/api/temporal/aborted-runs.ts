import { RUN_GRAPH, fromWorkflowId } from '../../workflows/contract.ts';
import type { RunReference } from '../../workflows/contract.ts';

/** The time between two times (RFC 3339); without `after` it has no start. */
export interface TimeSpan {
  readonly after: string | null;
  readonly before: string;
}

/** Requests a page of workflows from Temporal's visibility store. */
type ListPage = (query: string, nextPageToken: Uint8Array) => Promise<WorkflowPage>;

interface WorkflowPage {
  readonly executions: readonly { readonly execution?: { readonly workflowId?: string | null } | null }[];
  /** Empty after the last page. */
  readonly nextPageToken: Uint8Array;
}

/**
 * Lists the runs with an execution that was aborted (terminated, timed out or failed) in a span of time, as far as the visibility
 * store knows. Some of these runs continue in a later execution.
 */
export async function* findAbortedRuns(listPage: ListPage, { after, before }: TimeSpan): AsyncIterable<RunReference> {
  const query = [
    `WorkflowType = '${RUN_GRAPH}'`,
    `(ExecutionStatus IN ('Terminated', 'TimedOut') OR (ExecutionStatus = 'Failed' AND RunStatus != 'failed'))`,
    `CloseTime < '${before}'`,
    ...(after === null ? [] : [`CloseTime >= '${after}'`]),
  ].join(' AND ');
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await listPage(query, nextPageToken);
    for (const { execution } of page.executions) {
      const run = fromWorkflowId(execution?.workflowId ?? '');
      if (run) yield run;
    }
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0);
}
