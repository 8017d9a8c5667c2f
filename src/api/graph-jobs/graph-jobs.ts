import type { JobName, ParametersOf, ResultOf } from './jobs.ts';

/** Executes work on definitions and data of untrusted clients without blocking the process. */
export interface GraphJobs {
  /**
   * Executes one job for a tenant when a thread is free.
   * @throws ApiError 422 when the job exceeds its time or memory, 429 when the tenant has too many waiting jobs, 503
   * when the machine is overloaded
   */
  do<Name extends JobName>(name: Name, tenantId: string, ...parameters: ParametersOf<Name>): Promise<ResultOf<Name>>;
  /**
   * Resolves once a thread has loaded its code. Otherwise, loading would use up the time of the first job.
   * @throws Error when this takes too long
   */
  ready(): Promise<void>;
  /** Ends the running jobs and the threads. */
  close(): Promise<void>;
}
