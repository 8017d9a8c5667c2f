import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import type { WorkflowInfo } from '@temporalio/workflow';

/** A workflow task that has failed, or that has waited in the queue so long that it may fail. */
export type FailedTask = {
  readonly workflowId: string;
  /** Temporal's id of the execution. */
  readonly executionRunId: string;
  readonly reason: string;
} & Culprit;

export type Culprit =
  /** The workflow's own code. */
  | { readonly by: 'code'; readonly proofs: number }
  /** The machine was too busy, or something on it has ended the process. */
  | { readonly by: 'machine' }
  /** The worker, for example because the database is unavailable. */
  | { readonly by: 'worker' }
  /** Temporal, which has refused the answer. */
  | { readonly by: 'temporal' }
  /** Other executions, which take too long. */
  | { readonly by: 'queue' };

/** The removal of an execution from the worker's memory, which follows each failed task. */
interface ExecutionEviction {
  readonly runId: string;
  readonly evictJob: coresdk.workflow_activation.IRemoveFromCache;
}

/** Observes the executions whose code runs in processes. */
export interface ExecutionObserver {
  opened(execution: Pick<WorkflowInfo, 'workflowId' | 'runId'>): void;
  /** A task of the execution has waited so long that it will time out. */
  waits(executionRunId: string): void;
  /** The workflow task of the execution has failed. */
  failed(executionRunId: string, failure: WorkflowTaskFailure): void;
}

/** The cause of a failed workflow task: its own code, or the machine. */
export type WorkflowTaskFailure =
  | { readonly by: 'code'; readonly reason: string; readonly proofs: number }
  | { readonly by: 'machine'; readonly reason: string };

export interface TaskObserver extends ExecutionObserver {
  evicted(eviction: ExecutionEviction): void;
}

const { EvictionReason } = proto.coresdk.workflow_activation.RemoveFromCache;

/** Reports each workflow task that fails or waits too long. The SDK itself reports only the first attempt. */
export function createTaskObserver(report: (task: FailedTask) => void): TaskObserver {
  const executions = new Map<string, { readonly workflowId: string; failure: WorkflowTaskFailure | null }>();
  return {
    opened: ({ runId, workflowId }) => void executions.set(runId, { workflowId, failure: null }),
    waits(runId) {
      const execution = executions.get(runId);
      if (!execution) return;
      const { workflowId } = execution;
      report({ workflowId, executionRunId: runId, reason: 'it waits behind others', by: 'queue' });
    },
    failed(executionRunId, failure) {
      const execution = executions.get(executionRunId);
      if (execution) execution.failure = failure;
    },
    evicted({ runId, evictJob: { reason, message } }) {
      const execution = executions.get(runId);
      executions.delete(runId);
      if (!execution) return;
      const { workflowId, failure } = execution;
      const task = { workflowId, executionRunId: runId, reason: message ?? '' };
      if (reason === EvictionReason.LANG_FAIL) report({ ...task, ...(failure ?? BY_WORKER) });
      if (reason === EvictionReason.NONDETERMINISM) report({ ...task, ...BY_NONDETERMINISM });
      if (reason === EvictionReason.FATAL) report({ ...task, by: 'temporal' });
    },
  };
}

/** Replaces the SDK's message, which contains whole events with their payloads. */
const BY_NONDETERMINISM = { by: 'code', reason: 'its code does not do what its history says', proofs: 1 } as const;
const BY_WORKER = { by: 'worker' } as const;
