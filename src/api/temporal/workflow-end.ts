import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { decodeArrayFromPayloads, encodeToPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { CONTRADICTION } from '../../graph/journal/index.ts';
import { toWorkflowId, RUN_GRAPH, fromWorkflowId } from '../../workflows/contract.ts';
import type { RunReference } from '../../workflows/contract.ts';
import { isObjectOf, isText, MAX_MESSAGE, orNull, truncate } from '../../graph/values/index.ts';

/** How the workflow of a run has ended, according to Temporal. */
export type WorkflowEnd = {
  /** Temporal's id of the last execution; empty when Temporal has none. */
  readonly executionRunId: string;
  /** The time of the end (RFC 3339). */
  readonly at: string;
} & (
  | { readonly kind: 'timed-out' | 'failed' | 'missing' }
  /** The workflow ended in order, after writing its last batch. */
  | { readonly kind: 'ended'; readonly as: 'completed' | 'canceled' }
  | { readonly kind: 'contradicted'; readonly message: string }
  | { readonly kind: 'terminated'; readonly by: string; readonly reason: string }
  | ({ readonly kind: 'quarantined' } & Quarantine)
);

/** @returns `null` when the workflow is open */
export async function readWorkflowEnd(client: Client, run: RunReference): Promise<WorkflowEnd | null> {
  const execution = await describeWorkflow(client, run);
  if (!execution) return { kind: 'missing', executionRunId: '', at: new Date().toISOString() };
  const { runId: executionRunId, status, closeTime } = execution;
  const end = { executionRunId, at: (closeTime ?? new Date()).toISOString() };
  switch (status.name) {
    case 'TERMINATED':
      return { ...end, ...(await terminationOf(client, await readLastEvent(client, run, executionRunId))) };
    case 'TIMED_OUT':
      return { ...end, kind: 'timed-out' };
    case 'FAILED':
      return { ...end, ...toFailedEnd(await readLastEvent(client, run, executionRunId)) };
    case 'COMPLETED':
      return { ...end, kind: 'ended', as: 'completed' };
    // cspell:disable-next-line
    case 'CANCELLED':
      return { ...end, kind: 'ended', as: 'canceled' };
    default:
      return null;
  }
}

async function describeWorkflow(client: Client, run: RunReference): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(toWorkflowId(run)).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

type Termination = Pick<WorkflowEnd & { readonly kind: 'terminated' }, 'kind' | 'by' | 'reason'>;
type FailedEnd =
  | { readonly kind: 'failed' }
  | Pick<WorkflowEnd & { readonly kind: 'contradicted' }, 'kind' | 'message'>;

async function readLastEvent(
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
): Promise<Termination | ({ readonly kind: 'quarantined' } & Quarantine)> {
  const terminated = workflowExecutionTerminatedEventAttributes ?? {};
  const quarantined = await readQuarantine(client, terminated);
  if (quarantined) return { kind: 'quarantined', ...quarantined };
  return { kind: 'terminated', by: terminated.identity ?? '', reason: terminated.reason ?? '' };
}

function toFailedEnd({ workflowExecutionFailedEventAttributes }: temporal.api.history.v1.IHistoryEvent): FailedEnd {
  const { applicationFailureInfo, message } = workflowExecutionFailedEventAttributes?.failure ?? {};
  if (applicationFailureInfo?.type !== CONTRADICTION) return { kind: 'failed' };
  return { kind: 'contradicted', message: message ?? '' };
}

/** Why a run with a failing workflow task was ended: the API terminates the workflow with these details. */
export interface Quarantine {
  readonly message: string;
  /** The cancel that could not be processed and that ended the run; `null` without one. */
  readonly cancel: AskedCancel | null;
}

interface AskedCancel {
  readonly signalId: string;
  readonly by: string;
  readonly reason: string | null;
}

type TerminatedAttributes = temporal.api.history.v1.IWorkflowExecutionTerminatedEventAttributes;

const IDENTITY = 'holdfast';

/** One execution of a run's workflow. */
export interface ExecutionReference extends RunReference {
  /** Temporal's id of the execution. */
  readonly executionRunId: string;
}

/** Terminates one execution of a run's workflow. @throws a gRPC error NOT_FOUND when it has ended */
export async function terminateForQuarantine(
  { workflowService, options: { namespace, loadedDataConverter } }: Client,
  run: ExecutionReference,
  quarantined: Quarantine,
): Promise<void> {
  await workflowService.terminateWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: toWorkflowId(run), runId: run.executionRunId },
    identity: IDENTITY,
    reason: truncate(`Holdfast has put the run aside: ${quarantined.message}`, MAX_MESSAGE),
    details: { payloads: (await encodeToPayloads(loadedDataConverter, quarantined)) ?? [] },
  });
}

/** @returns `null` for a workflow that was terminated by somebody else */
async function readQuarantine(
  { options: { loadedDataConverter } }: Client,
  { identity, details }: TerminatedAttributes,
): Promise<Quarantine | null> {
  if (identity !== IDENTITY) return null;
  const [quarantined] = await decodeArrayFromPayloads(loadedDataConverter, details?.payloads);
  return isQuarantine(quarantined) ? quarantined : null;
}

const isQuarantine = isObjectOf<Quarantine>({
  message: isText,
  cancel: orNull(isObjectOf<AskedCancel>({ signalId: isText, by: isText, reason: orNull(isText) })),
});

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
