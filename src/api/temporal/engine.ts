import { Client, WorkflowExecutionAlreadyStartedError, Connection, ServiceError } from '@temporalio/client';
import type { WorkflowHandle, ConnectionOptions, WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { DataConverter } from '@temporalio/common';
import type { RunView } from '../../graph/journal/index.ts';
import type { SentSignal, SignalResult } from '../../graph/run/index.ts';
import { truncate } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { createTemporalCheck } from '../../process/search-attributes.ts';
import type { TemporalCheck } from '../../process/search-attributes.ts';
import {
  MAX_SUMMARY,
  QUERIES,
  RUN_GRAPH,
  TASK_QUEUE,
  isTooLarge,
  toWorkflowId,
  SEARCH_ATTRIBUTES,
  attributesAtStart,
  PLAYED_ANEW,
  TRACE_HEADER,
} from '../../workflows/contract.ts';
import type { RunGraphInput, RunReference, TooLarge } from '../../workflows/contract.ts';
import { unavailableNow } from '../http/errors.ts';
import { nullIfNotFound, orUnavailable, pollUntil } from './requests.ts';
import { readFailingTask, readPendingActivities } from './open-workflow.ts';
import type { FailingTask, PendingActivity } from './open-workflow.ts';
import { terminateForQuarantine, readWorkflowEnd, findAbortedRuns } from './workflow-end.ts';
import type { ExecutionReference, Quarantine, WorkflowEnd, TimeSpan } from './workflow-end.ts';
import { createTimedSchedules } from './timed-schedules.ts';
import type { TimedSchedules } from './timed-schedules.ts';
import { hasGrpcCode } from '../../process/grpc-errors.ts';
import { traceHeaders } from '../../telemetry/traces/traceparent.ts';

/** The view of a run as its workflow reports it, with the number of its last event. */
export type LiveView = RunView & { readonly lastSeq: number };

/** The API's Temporal client. */
export interface Engine {
  /** Starts an execution of a run's workflow. Starting it again has no effect. @throws ApiError 503 */
  start(input: RunGraphInput): Promise<void>;
  /** Sends a signal to a run. @returns false when Temporal has no such open workflow @throws ApiError 503 */
  send(run: RunReference, signal: string, payload: SentSignal['payload']): Promise<boolean>;
  /**
   * Sends a decision or control to a run and waits for the result.
   * @returns `null` when the run has ended or was never started
   * @throws ApiError 503 when no worker answers; the same id may be sent again
   */
  signalAndAsk(run: RunReference, signal: string, payload: SentSignal['payload']): Promise<SignalResult | null>;
  /**
   * Queries the result of a decision or control that was sent before.
   * @returns `null` when the run has no such result
   * @throws as `signalAndAsk`
   */
  signalResult(run: RunReference, signalId: string): Promise<SignalResult | null>;
  /**
   * Queries the current view of a run.
   * @returns `null` when Temporal does not have the run, or its view is too large for a query
   */
  view(run: RunReference): Promise<LiveView | null>;
  /**
   * Lists the runs with an execution that was terminated or timed out in a span of time.
   * @throws when Temporal does not answer
   */
  abortedRuns(span: TimeSpan): AsyncIterable<RunReference>;
  /**
   * Reads how a run's workflow has ended, or that Temporal does not have it.
   * @returns `null` when the workflow is open
   * @throws ApiError 503
   */
  workflowEnd(run: RunReference): Promise<WorkflowEnd | null>;
  /** @returns `null` when the workflow task of the run is not failing @throws ApiError 503 */
  failingTask(run: RunReference): Promise<FailingTask | null>;
  /** @returns `null` when Temporal does not have the run's workflow @throws ApiError 503 */
  pendingActivities(run: RunReference): Promise<readonly PendingActivity[] | null>;
  /**
   * Terminates one execution of a run's workflow as quarantined.
   * @returns false when it had already ended
   * @throws ApiError 503
   */
  quarantine(run: ExecutionReference, quarantined: Quarantine): Promise<boolean>;
  readonly schedules: TimedSchedules;
  readonly ping: TemporalCheck;
}

/** A running worker answers within milliseconds; after this time, no worker is assumed to be there. */
const ANSWER_WITHIN_MS = 8_000;
/** An execution that has made its last write closes soon. */
const UNTIL_GONE = { everyMs: 50, withinMs: ANSWER_WITHIN_MS };

/**
 * A workflow task with values of some megabytes must end within this time, or it is repeated for ever. A longer timeout
 * would delay runs whose worker is lost during a task.
 */
const WORKFLOW_TASK_TIMEOUT_MS = 30_000;

export function createEngine(connection: Connection, namespace: string, dataConverter: DataConverter): Engine {
  const interceptors = { workflow: [traceSignals] };
  const client = new Client({ connection, namespace, dataConverter, interceptors });
  const handleOf = (run: RunReference): WorkflowHandle => client.workflow.getHandle(toWorkflowId(run));
  const soon = async <T>(request: () => Promise<T>, withinMs = ANSWER_WITHIN_MS): Promise<T> =>
    await connection.withDeadline(Date.now() + withinMs, request);
  const ask = async <T>(run: RunReference, query: string, ...args: readonly string[]): Promise<T | null> => {
    const answer = await orUnavailable('A worker of this run', () =>
      nullIfNotFound(
        soon(() => onceReady(ANSWER_WITHIN_MS, () => handleOf(run).query<T | TooLarge, string[]>(query, ...args))),
      ),
    );
    return isTooLarge(answer) ? null : answer;
  };
  const signalResult: Engine['signalResult'] = async (run, signalId) => await ask(run, QUERIES.signalResult, signalId);
  const send: Engine['send'] = async (run, signal, payload) => {
    const sent = soon(async () => await handleOf(run).signal(signal, payload)).then(() => true);
    return (await orUnavailable('Temporal', () => nullIfNotFound(sent))) !== null;
  };
  return {
    async start(input) {
      const tryToStart = async () => await soon(() => startWorkflow(client, input));
      const busy = await orUnavailable('Temporal', () => pollUntil(tryToStart, (found) => found === null, UNTIL_GONE));
      if (busy) throw busy;
    },
    send,
    signalAndAsk: async (run, signal, payload) =>
      (await send(run, signal, payload)) ? await signalResult(run, payload.signalId) : null,
    signalResult,
    view: async (run) => await ask(run, QUERIES.status),
    abortedRuns: (span) =>
      findAbortedRuns(
        async (query, nextPageToken) =>
          await soon(() => client.workflowService.listWorkflowExecutions({ namespace, query, nextPageToken })),
        span,
      ),
    workflowEnd: async (run) =>
      await orUnavailable('Temporal', () => nullIfNotFound(soon(() => readWorkflowEnd(client, run)))),
    failingTask: async (run) =>
      await orUnavailable('Temporal', () => nullIfNotFound(soon(() => readFailingTask(client, run)))),
    pendingActivities: async (run) =>
      await orUnavailable('Temporal', () => nullIfNotFound(soon(() => readPendingActivities(client, run)))),
    quarantine: async (run, quarantined) => {
      const done = soon(() => terminateForQuarantine(client, run, quarantined)).then(() => true);
      return (await orUnavailable('Temporal', () => nullIfNotFound(done))) !== null;
    },
    schedules: createTimedSchedules(client, soon),
    ping: createTemporalCheck({ connection, namespace }, SEARCH_ATTRIBUTES),
  };
}

/** @returns an error while the previous execution is still closing; `null` when the workflow has started */
async function startWorkflow(client: Client, input: RunGraphInput): Promise<Error | null> {
  const { identity, execution } = input;
  const { name, version } = identity.graph;
  const isFirst = execution === 1;
  try {
    await client.workflow.start<(input: RunGraphInput) => Promise<Json>>(RUN_GRAPH, {
      workflowId: toWorkflowId(identity),
      taskQueue: TASK_QUEUE,
      // Activities and continued executions inherit the priority.
      priority: { fairnessKey: identity.tenantId },
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
      args: [input],
      workflowIdReusePolicy: isFirst ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: isFirst ? 'USE_EXISTING' : 'FAIL',
      memo: { execution },
      staticSummary: truncate(
        `${name}${version === null ? '' : `@${version}`} for ${identity.createdBy.sub}`,
        MAX_SUMMARY,
      ),
      typedSearchAttributes: attributesAtStart(identity),
    });
    return null;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    if (isFirst || (await runningExecution(client, toWorkflowId(identity))) === execution) return null;
    return unavailableNow('The execution of the workflow before this one is still closing', error);
  }
}

async function runningExecution(client: Client, workflowId: string): Promise<unknown> {
  const { memo } = await client.workflow.getHandle(workflowId).describe();
  return memo?.['execution'];
}

const ASK_EVERY_MS = 100;

/** Repeats a query while the workflow is busy. @throws the last error when it stays busy for too long */
export async function onceReady<T>(withinMs: number, query: () => Promise<T>): Promise<T> {
  const ask = async () =>
    await query().then(
      (answer) => ({ answer }),
      (error: unknown) => {
        if (!isWorkflowBusy(error)) throw error;
        return { error };
      },
    );
  const last = await pollUntil(ask, (asked) => 'answer' in asked, { everyMs: ASK_EVERY_MS, withinMs });
  if ('answer' in last) return last.answer;
  throw last.error;
}

/** The gRPC codes of a busy workflow: too many requests, between two tasks, or changed in the meantime. */
const BUSY = ['RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED'] as const;

function isWorkflowBusy(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return BUSY.some((name) => hasGrpcCode(cause, name)) || isPlayedAnew(cause);
}

/** Every query that fails in its worker has this code. */
function isPlayedAnew(error: unknown): boolean {
  return hasGrpcCode(error, 'INVALID_ARGUMENT') && error.message.includes(PLAYED_ANEW);
}

/** The longest pause before a lost connection is tried again; gRPC's own backoff grows to two minutes. */
const MAX_RECONNECT_MS = 3_000;

/** Creates a connection to Temporal that is opened at its first use. */
export function openConnection(options: ConnectionOptions): Connection {
  return Connection.lazy({ ...options, channelArgs: { 'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_MS } });
}

/** Adds the trace context of the sender to signals. */
const traceSignals: WorkflowClientInterceptor = {
  async signal(input, next) {
    const { traceparent } = traceHeaders();
    if (traceparent === undefined) return await next(input);
    const headers = { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(traceparent) };
    return await next({ ...input, headers });
  },
};
