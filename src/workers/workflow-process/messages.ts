import type { UnsafeWorkflowInfo, WorkflowInfo } from '@temporalio/workflow';
import type { WorkflowCreateOptions } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';

/** Starting Node and loading the workflow's code takes a second or two, and longer on a busy machine. */
export const OPEN_WITHIN_MS = 60_000;

/** A request of a worker to the process that runs its workflow code. Requests are executed one after the other. */
export type ProcessRequest = { readonly id: number } & ProcessRequestBody;

/** The first request to a process: it loads the workflow's code. */
export interface OpenRequest {
  readonly kind: 'open';
  readonly bundle: WorkflowBundleWithSourceMapAndFilename;
  readonly activityNames: Set<string>;
  /** The number of concurrent workflow tasks of the worker. */
  readonly tasksAtOnce: number;
}

export type ProcessRequestBody =
  | OpenRequest
  | { readonly kind: 'create'; readonly options: SentOptions }
  | { readonly kind: 'activate'; readonly executionRunId: string; readonly activation: Uint8Array }
  | { readonly kind: 'dispose'; readonly executionRunId: string };

/** The answer to the request with the same id. */
export type ProcessAnswer = { readonly id: number } & AnswerBody;

export type AnswerBody =
  | { readonly kind: 'done' }
  /** The workflow is no longer in memory. */
  | { readonly kind: 'forgotten' }
  | {
      readonly kind: 'activated';
      readonly completion: Uint8Array;
      readonly sinkCalls: readonly SentSinkCall[];
      /** The processor time in milliseconds. */
      readonly workedMs: number;
    }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string | undefined };

/** Information about a workflow without its functions, which a message can't contain. */
export type SentInfo = Omit<WorkflowInfo, 'unsafe'> & { readonly unsafe: SentUnsafeInfo };
type SentUnsafeInfo = Omit<UnsafeWorkflowInfo, 'now' | 'random'>;

export type SentOptions = Omit<WorkflowCreateOptions, 'info'> & { readonly info: SentInfo };

/** A call from workflow code to the worker, such as a log line. */
export interface SentSinkCall {
  readonly ifaceName: string;
  readonly fnName: string;
  readonly args: readonly unknown[];
  readonly workflowInfo: SentInfo;
}

export function toSentInfo({ unsafe: { now: _now, random: _random, ...unsafe }, ...info }: WorkflowInfo): SentInfo {
  return { ...info, unsafe };
}
