import type { UnsafeWorkflowInfo, WorkflowInfo } from '@temporalio/workflow';
import type { WorkflowCreateOptions } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';

/** Starting Node and reading the workflow's code takes a second or two, on a busy machine more. */
export const OPEN_WITHIN_MS = 60_000;

/** What a worker asks the process that runs its workflow code. Requests are done one after the other. */
export type Request = { readonly id: number } & RequestBody;

export type RequestBody =
  | {
      readonly kind: 'open';
      readonly bundle: WorkflowBundleWithSourceMapAndFilename;
      readonly activityNames: Set<string>;
      /** The number of workflow tasks that the worker does at the same time. */
      readonly tasksAtOnce: number;
    }
  | { readonly kind: 'create'; readonly options: SentOptions }
  | { readonly kind: 'activate'; readonly executionRunId: string; readonly activation: Uint8Array }
  | { readonly kind: 'dispose'; readonly executionRunId: string };

/** The answer to the request of the same id. */
export type Answer = { readonly id: number } & AnswerBody;

export type AnswerBody =
  | { readonly kind: 'done' }
  /** The workflow is no longer in memory. */
  | { readonly kind: 'forgotten' }
  | {
      readonly kind: 'activated';
      readonly completion: Uint8Array;
      readonly sinkCalls: readonly SentSinkCall[];
      /** Processor time. */
      readonly workedMs: number;
    }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string | undefined };

/** Information about a workflow without its functions, which no message can hold. */
export type SentInfo = Omit<WorkflowInfo, 'unsafe'> & { readonly unsafe: SentUnsafeInfo };
type SentUnsafeInfo = Omit<UnsafeWorkflowInfo, 'now' | 'random'>;

export type SentOptions = Omit<WorkflowCreateOptions, 'info'> & { readonly info: SentInfo };

/** A call that workflow code makes to the worker, such as a line of its log. */
export interface SentSinkCall {
  readonly ifaceName: string;
  readonly fnName: string;
  readonly args: readonly unknown[];
  readonly workflowInfo: SentInfo;
}

export function toSentInfo({ unsafe: { now: _now, random: _random, ...unsafe }, ...info }: WorkflowInfo): SentInfo {
  return { ...info, unsafe };
}
