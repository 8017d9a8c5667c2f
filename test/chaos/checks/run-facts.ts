import type { WorkflowHandle } from '@temporalio/client';
import type { Json } from '../../../src/graph/values/json.ts';
import type { ApiClient } from '../../support/readers/api-client.ts';
import { eventsOf } from '../../support/readers/api-runs.ts';
import { accountOfRows, accountOfWorkflow } from '../../support/readers/run-accounts.ts';
import type { RunAccount } from '../../support/readers/run-accounts.ts';
import type { PlanResult } from '../customer.ts';

/** The final facts of a run. */
export interface RunFacts {
  readonly story: PlanResult;
  readonly run: Json;
  readonly events: readonly Json[];
  readonly rows: RunAccount;
  readonly workflow: RunAccount;
  /** The number of executions of each of this run's jobs by the third party. */
  readonly done: ReadonlyMap<string, number>;
}

export interface Sources {
  readonly client: ApiClient;
  readonly workflowOf: (runId: string) => WorkflowHandle;
  readonly done: ReadonlyMap<string, number>;
}

export async function gatherFacts(sources: Sources, story: PlanResult, runId: string): Promise<RunFacts> {
  const { client, workflowOf, done } = sources;
  return {
    story,
    run: (await client.get(`/api/runs/${runId}`)).body,
    events: await eventsOf(client, runId),
    rows: await accountOfRows(client, runId),
    workflow: await accountOfWorkflow(workflowOf(runId)),
    done: new Map([...done].filter(([job]) => job.startsWith(`${story.plan.job}/`))),
  };
}
