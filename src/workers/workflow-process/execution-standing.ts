import type { coresdk } from '@temporalio/proto';

/** How far the code of an execution has come, and if Temporal has recorded as much. */
export interface ExecutionStanding {
  /** Takes note of an activation. @returns false if the code has gone beyond what Temporal has recorded, and must be replayed from the start */
  mayTake(activation: ExecutionActivation): Promise<boolean>;
  /** Takes note of the answer to an activation. */
  answered(completion: Completion): void;
  /** True while the workflow task stays open for local calls. */
  isCallingLocally(): boolean;
}

type ExecutionActivation = Pick<
  coresdk.workflow_activation.IWorkflowActivation,
  'jobs' | 'historyLength' | 'isReplaying'
>;
type Completion = coresdk.workflow_completion.IWorkflowActivationCompletion;

/** Core's id of a query that comes without a workflow task. */
const DIRECT_QUERY = 'legacy_query';

/**
 * Core renews a task whose local calls stay open for 24 s, which takes a worker that has stood still. In a replay both are
 * one task, with the time and the length of the history that the second one has: the code has seen others.
 */
function isRenewed(jobs: NonNullable<ExecutionActivation['jobs']>, lastSeen: number | null): boolean {
  return lastSeen !== null && jobs.some(({ resolveActivity }) => resolveActivity?.isLocal === true);
}

/**
 * A query without a task makes Temporal's core play events that no task has brought yet. A replay would see them with others
 * and may command something else, so such a query is answered only where a completed task has brought the execution.
 * @param wasCompleted says that of the task which an event, by its id, has started @throws when Temporal does not answer
 */
export function createExecutionStanding(wasCompleted: (startedEventId: number) => Promise<boolean>): ExecutionStanding {
  /** The id of the last event that the execution has seen; `null`: it is replayed, up to a task that was completed. */
  let lastSeen: number | null = null;
  /** Local calls that core makes for a query: while they are open, the next task comes before the query itself. */
  let openLocalCalls = 0;
  const isKnown = async (): Promise<boolean> => lastSeen === null || (await wasCompleted(lastSeen));
  return {
    async mayTake({ jobs: given, historyLength, isReplaying }) {
      const jobs = given ?? [];
      // No other job comes with queries.
      const queries = jobs.flatMap(({ queryWorkflow }) => queryWorkflow ?? []);
      if (queries.length > 0) return !queries.some(({ queryId }) => queryId === DIRECT_QUERY) || (await isKnown());
      const seen = historyLength ?? 0;
      if (openLocalCalls > 0 && seen !== lastSeen && (isRenewed(jobs, lastSeen) || !(await isKnown()))) return false;
      lastSeen = isReplaying === true ? null : seen;
      openLocalCalls -= jobs.filter(({ resolveActivity }) => resolveActivity?.isLocal === true).length;
      return true;
    },
    answered({ successful }) {
      const commands = successful?.commands ?? [];
      openLocalCalls += commands.filter(({ scheduleLocalActivity }) => scheduleLocalActivity).length;
    },
    isCallingLocally: () => openLocalCalls > 0,
  };
}
