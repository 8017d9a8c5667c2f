import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import type { ExecutionObserver } from './workflow-host.ts';

/** A workflow task that has failed, or that has waited for its turn so long that it may fail. */
export interface FailedTask {
  readonly workflowId: string;
  /** Temporal's id of the execution. */
  readonly executionRunId: string;
  readonly reason: string;
  /**
   * The workflow's own code; the worker, for example because the database is away; Temporal, which took no answer; the
   * queue, as others have their turn for too long; or the machine, which was too busy for the code.
   */
  readonly by: 'code' | 'worker' | 'temporal' | 'queue' | 'machine';
}

/** An execution leaves the worker's memory; after a failed task it always does. */
interface Eviction {
  readonly runId: string;
  readonly evictJob: coresdk.workflow_activation.IRemoveFromCache;
}

export interface TaskObserver extends ExecutionObserver {
  evicted(eviction: Eviction): void;
}

type Failure = Pick<FailedTask, 'reason' | 'by'>;

const { EvictionReason } = proto.coresdk.workflow_activation.RemoveFromCache;

/**
 * Reports each workflow task that fails, or waits for its turn too long. The SDK tells only of the first attempt; later
 * ones are reported, too.
 */
export function createTaskObserver(report: (task: FailedTask) => void): TaskObserver {
  const executions = new Map<string, { readonly workflowId: string; failure: Failure | null }>();
  return {
    opened: ({ runId, workflowId }) => void executions.set(runId, { workflowId, failure: null }),
    waits(runId) {
      const execution = executions.get(runId);
      if (execution)
        report({
          workflowId: execution.workflowId,
          executionRunId: runId,
          reason: 'it waits behind others',
          by: 'queue',
        });
    },
    failed(executionRunId, reason, by) {
      const execution = executions.get(executionRunId);
      if (execution) execution.failure = { reason, by };
    },
    evicted({ runId, evictJob: { reason, message } }) {
      const execution = executions.get(runId);
      executions.delete(runId);
      if (!execution) return;
      const { workflowId, failure } = execution;
      const task = { workflowId, executionRunId: runId, reason: failure?.reason ?? message ?? '' };
      if (reason === EvictionReason.LANG_FAIL) report({ ...task, by: failure?.by ?? 'worker' });
      if (reason === EvictionReason.NONDETERMINISM) report({ ...task, reason: NONDETERMINISM, by: 'code' });
      if (reason === EvictionReason.FATAL) report({ ...task, by: 'temporal' });
    },
  };
}

/** The SDK's own message prints events with all that is in them. */
const NONDETERMINISM = 'its code does not do what its history says';
