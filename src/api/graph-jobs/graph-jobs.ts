import type { JobName, ResultOf, TaskOf } from './jobs.ts';

/** Does work on definitions and data of strangers without stopping what else the process does. */
export interface GraphJobs {
  /**
   * Does one job for a tenant, when its turn comes.
   * @throws ApiError 422 when the job needs more time or memory than a job may, 429 when too many of the tenant wait, 503
   * when the machine has no time for it
   */
  do<Name extends JobName>(name: Name, tenantId: string, task: TaskOf<Name>): Promise<ResultOf<Name>>;
  /** Resolves once a thread has read its code: a job's time would begin before. @throws Error when that takes too long */
  ready(): Promise<void>;
  /** Ends what runs. */
  close(): Promise<void>;
}
