import type { coresdk } from '@temporalio/proto';

/** Tracks how far the code of an execution has come, and whether Temporal has recorded as much. */
export interface ExecutionProgress {
  /**
   * Records an activation.
   * @returns false if the code has progressed beyond what Temporal has recorded, and must be replayed from the start
   */
  mayActivate(activation: ExecutionActivation): Promise<boolean>;
  /** Records the answer to an activation. */
  completed(completion: ActivationCompletion): void;
  /** Returns true while the workflow task stays open for local calls. */
  hasOpenLocalCalls(): boolean;
}

type ExecutionActivation = Pick<
  coresdk.workflow_activation.IWorkflowActivation,
  'jobs' | 'historyLength' | 'isReplaying'
>;
type ActivationCompletion = coresdk.workflow_completion.IWorkflowActivationCompletion;

/** The id that Temporal's core gives to a query without a workflow task. */
const DIRECT_QUERY = 'legacy_query';

/**
 * Returns true for a task that Temporal's core has renewed, because its local calls were open for 24 s, as on a worker that
 * was suspended. In a replay, both tasks become one with the time and the history length of the second; the code has seen
 * those of the first.
 */
function isRenewedTask(jobs: NonNullable<ExecutionActivation['jobs']>, lastSeen: number | null): boolean {
  return lastSeen !== null && jobs.some(({ resolveActivity }) => resolveActivity?.isLocal === true);
}

/**
 * For a query without a task, Temporal's core plays events that no task has delivered yet. A replay would receive them
 * together with others and might produce other commands. So such a query is answered only while the execution is in the
 * state after a completed task.
 * @param wasCompleted checks whether the task that the given event has started was completed. It throws when Temporal does
 * not answer
 */
export function createExecutionProgress(wasCompleted: (startedEventId: number) => Promise<boolean>): ExecutionProgress {
  /** The last event that the execution has seen; `null` during a replay, which ends with a completed task. */
  let lastSeen: number | null = null;
  /** The local calls that core makes for a query: while they are open, the next task arrives before the query itself. */
  let openLocalCalls = 0;
  const isUpToDate = async (): Promise<boolean> => lastSeen === null || (await wasCompleted(lastSeen));
  return {
    async mayActivate({ jobs: activationJobs, historyLength, isReplaying }) {
      const jobs = activationJobs ?? [];
      // An activation with queries has no other jobs.
      const queries = jobs.flatMap(({ queryWorkflow }) => queryWorkflow ?? []);
      if (queries.length > 0) return !queries.some(({ queryId }) => queryId === DIRECT_QUERY) || (await isUpToDate());
      const seen = historyLength ?? 0;
      if (openLocalCalls > 0 && seen !== lastSeen && (isRenewedTask(jobs, lastSeen) || !(await isUpToDate())))
        return false;
      lastSeen = isReplaying === true ? null : seen;
      openLocalCalls -= jobs.filter(({ resolveActivity }) => resolveActivity?.isLocal === true).length;
      return true;
    },
    completed({ successful }) {
      const commands = successful?.commands ?? [];
      openLocalCalls += commands.filter(({ scheduleLocalActivity }) => scheduleLocalActivity).length;
    },
    hasOpenLocalCalls: () => openLocalCalls > 0,
  };
}
