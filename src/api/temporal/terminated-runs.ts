import { RUN_GRAPH, fromWorkflowId } from '../../workflows/contract.ts';
import type { RunReference } from '../../workflows/contract.ts';

/** A span between two times (RFC 3339); without `after` it has no beginning. */
export interface Span {
  readonly after: string | null;
  readonly before: string;
}

/** Asks Temporal's visibility for a page of workflows. */
type ListPage = (request: { readonly query: string; readonly nextPageToken: Uint8Array }) => Promise<WorkflowPage>;

interface WorkflowPage {
  readonly executions: readonly { readonly execution?: { readonly workflowId?: string | null } | null }[];
  /** Empty after the last page. */
  readonly nextPageToken: Uint8Array;
}

/**
 * Runs with an execution that was terminated, timed out or failed on the way in a span of time, as far as visibility
 * knows.
 * Some of them go on in a later execution.
 */
export async function* findTerminatedRuns(listPage: ListPage, { after, before }: Span): AsyncIterable<RunReference> {
  const query = [
    `WorkflowType = '${RUN_GRAPH}'`,
    `(ExecutionStatus IN ('Terminated', 'TimedOut') OR (ExecutionStatus = 'Failed' AND RunStatus != 'failed'))`,
    `CloseTime < '${before}'`,
    ...(after === null ? [] : [`CloseTime >= '${after}'`]),
  ].join(' AND ');
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await listPage({ query, nextPageToken });
    for (const { execution } of page.executions) {
      const run = fromWorkflowId(execution?.workflowId ?? '');
      if (run) yield run;
    }
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0);
}
