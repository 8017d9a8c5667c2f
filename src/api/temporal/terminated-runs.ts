import type { Client } from '@temporalio/client';
import { RUN_GRAPH, fromWorkflowId, toWorkflowId } from '../../workflows/contract.ts';
import type { RunReference } from '../../workflows/contract.ts';
import { readPutAside } from './put-aside.ts';
import type { PutAside } from './put-aside.ts';

/** The end of a workflow that was terminated, timed out, or failed without telling the store. */
export type TerminatedRun = {
  /** Temporal's id of the last execution. */
  readonly executionRunId: string;
  /** In RFC 3339. */
  readonly at: string;
} & (
  | { readonly kind: 'timed-out' | 'failed' }
  | { readonly kind: 'terminated'; readonly by: string; readonly reason: string }
  | ({ readonly kind: 'put-aside' } & PutAside)
);

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

/** @returns `null` when the workflow goes on, or has ended by itself */
export async function readTerminatedRun(client: Client, run: RunReference): Promise<TerminatedRun | null> {
  const { runId: executionRunId, status, closeTime } = await client.workflow.getHandle(toWorkflowId(run)).describe();
  const end = { executionRunId, at: (closeTime ?? new Date()).toISOString() };
  switch (status.name) {
    case 'TERMINATED':
      return { ...end, ...(await terminationOf(client, run, executionRunId)) };
    case 'TIMED_OUT':
      return { ...end, kind: 'timed-out' };
    case 'FAILED':
      return { ...end, kind: 'failed' };
    default:
      return null;
  }
}

type Termination = Pick<TerminatedRun & { readonly kind: 'terminated' }, 'kind' | 'by' | 'reason'>;

async function terminationOf(
  client: Client,
  run: RunReference,
  executionRunId: string,
): Promise<Termination | ({ readonly kind: 'put-aside' } & PutAside)> {
  const {
    workflowService,
    options: { namespace },
  } = client;
  const execution = { workflowId: toWorkflowId(run), runId: executionRunId };
  const last = await workflowService.getWorkflowExecutionHistoryReverse({ namespace, execution, maximumPageSize: 1 });
  const terminated = last.history?.events?.[0]?.workflowExecutionTerminatedEventAttributes ?? {};
  const aside = await readPutAside(client, terminated);
  if (aside) return { kind: 'put-aside', ...aside };
  return { kind: 'terminated', by: terminated.identity ?? '', reason: terminated.reason ?? '' };
}
