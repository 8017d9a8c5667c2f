import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { CONTRADICTION } from '../../graph/journal/index.ts';
import { RUN_GRAPH, fromWorkflowId, toWorkflowId } from '../../workflows/contract.ts';
import type { RunReference } from '../../workflows/contract.ts';
import { readPutAside } from './put-aside.ts';
import type { PutAside } from './put-aside.ts';

/** The end of a workflow that was terminated, timed out, was deleted, or of which the store may not know. */
export type TerminatedRun = {
  /** Temporal's id of the last execution; empty when Temporal has none. */
  readonly executionRunId: string;
  /** In RFC 3339. */
  readonly at: string;
} & (
  | { readonly kind: 'timed-out' | 'failed' | 'missing' }
  /** It has ended in order, and wrote its last batch before. */
  | { readonly kind: 'ended'; readonly as: 'completed' | 'canceled' }
  | { readonly kind: 'contradicted'; readonly message: string }
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

/** @returns `null` when the workflow goes on */
export async function readTerminatedRun(client: Client, run: RunReference): Promise<TerminatedRun | null> {
  const execution = await describe(client, run);
  if (!execution) return { kind: 'missing', executionRunId: '', at: new Date().toISOString() };
  const { runId: executionRunId, status, closeTime } = execution;
  const end = { executionRunId, at: (closeTime ?? new Date()).toISOString() };
  switch (status.name) {
    case 'TERMINATED':
      return { ...end, ...(await terminationOf(client, await lastEvent(client, run, executionRunId))) };
    case 'TIMED_OUT':
      return { ...end, kind: 'timed-out' };
    case 'FAILED':
      return { ...end, ...toFailed(await lastEvent(client, run, executionRunId)) };
    case 'COMPLETED':
      return { ...end, kind: 'ended', as: 'completed' };
    // cspell:disable-next-line
    case 'CANCELLED':
      return { ...end, kind: 'ended', as: 'canceled' };
    default:
      return null;
  }
}

async function describe(client: Client, run: RunReference): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(toWorkflowId(run)).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

type Termination = Pick<TerminatedRun & { readonly kind: 'terminated' }, 'kind' | 'by' | 'reason'>;
type Failed = { readonly kind: 'failed' } | Pick<TerminatedRun & { readonly kind: 'contradicted' }, 'kind' | 'message'>;

async function lastEvent(
  { workflowService, options: { namespace } }: Client,
  run: RunReference,
  runId: string,
): Promise<temporal.api.history.v1.IHistoryEvent> {
  const execution = { workflowId: toWorkflowId(run), runId };
  const last = await workflowService.getWorkflowExecutionHistoryReverse({ namespace, execution, maximumPageSize: 1 });
  return last.history?.events?.[0] ?? {};
}

async function terminationOf(
  client: Client,
  { workflowExecutionTerminatedEventAttributes }: temporal.api.history.v1.IHistoryEvent,
): Promise<Termination | ({ readonly kind: 'put-aside' } & PutAside)> {
  const terminated = workflowExecutionTerminatedEventAttributes ?? {};
  const aside = await readPutAside(client, terminated);
  if (aside) return { kind: 'put-aside', ...aside };
  return { kind: 'terminated', by: terminated.identity ?? '', reason: terminated.reason ?? '' };
}

function toFailed({ workflowExecutionFailedEventAttributes }: temporal.api.history.v1.IHistoryEvent): Failed {
  const { applicationFailureInfo, message } = workflowExecutionFailedEventAttributes?.failure ?? {};
  if (applicationFailureInfo?.type !== CONTRADICTION) return { kind: 'failed' };
  return { kind: 'contradicted', message: message ?? '' };
}
