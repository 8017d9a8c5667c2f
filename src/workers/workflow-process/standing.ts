import type { coresdk } from '@temporalio/proto';

/** How far an execution has come, and if Temporal knows that it has. */
export interface Standing {
  /** Takes note of an activation. @returns false if the execution has gone on beyond what Temporal has, and must begin again */
  mayTake(activation: Activation): Promise<boolean>;
}

type Activation = Pick<coresdk.workflow_activation.IWorkflowActivation, 'jobs' | 'historyLength'>;

/** The id of a query that comes without a workflow task. */
const DIRECT_QUERY = 'legacy_query';

/**
 * A query without a workflow task comes with the history of its moment. Temporal's core plays all of it, also what a task is
 * yet to bring, and keeps the execution where it is then. The next task would go on from there, while its replay has old and
 * new in one activation, and may lead to other commands. So after such a query the last task must have been completed.
 * @param wasCompleted says that of the task that an event, by its id, has started @throws when Temporal does not answer
 */
export function createStanding(wasCompleted: (startedEventId: number) => Promise<boolean>): Standing {
  /** The id of the event that has started the last task. */
  let lastStarted = 0;
  let isKnown = true;
  return {
    async mayTake({ jobs, historyLength }) {
      const queries = (jobs ?? []).flatMap(({ queryWorkflow }) => queryWorkflow ?? []);
      if (queries.some(({ queryId }) => queryId === DIRECT_QUERY)) isKnown = false;
      if (queries.length > 0) return true;
      if (!isKnown && !(await wasCompleted(lastStarted))) return false;
      isKnown = true;
      lastStarted = historyLength ?? 0;
      return true;
    },
  };
}
