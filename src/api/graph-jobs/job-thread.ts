import { workerData } from 'piscina';
import type { Catalog } from '../../graph/definition/index.ts';
import { recordBegin } from './job-limit.ts';
import { createJobs } from './jobs.ts';
import type { JobName, ParametersOf, ResultOf } from './jobs.ts';

/* The entry point of the pool's threads. Their start data is the installation's catalog. */

/** A job in a form that can be cloned to a thread. */
interface AssignedJob<Name extends JobName> {
  readonly name: Name;
  readonly parameters: ParametersOf<Name>;
  /** Shared memory in which the thread records the start of the job. */
  readonly begun: SharedArrayBuffer;
}

export async function doAssigned<Name extends JobName>(job: AssignedJob<Name>): Promise<ResultOf<Name>> {
  recordBegin(job.begun);
  return await doJob(workerData, job.name, ...job.parameters);
}

/** Resolves once the thread has loaded its code. */
export const reportReady = (): null => null;

type JobFunctions = {
  readonly [Name in JobName]: (...parameters: ParametersOf<Name>) => ResultOf<Name> | Promise<ResultOf<Name>>;
};

/** Executes a job in this thread. */
export async function doJob<Name extends JobName>(
  catalog: Catalog,
  name: Name,
  ...parameters: ParametersOf<Name>
): Promise<ResultOf<Name>> {
  const jobs: JobFunctions = createJobs(catalog);
  return await jobs[name](...parameters);
}
