/* The entry of a thread of the pool; what it is given when it starts is the installation's catalog. */
import { workerData } from 'piscina';
import { doJob } from './do-job.ts';
import type { Assignment } from './do-job.ts';
import { tellBegun } from './job-limit.ts';
import type { JobName, ResultOf } from './jobs.ts';

export async function doAssigned<Name extends JobName>({
  begun,
  ...assigned
}: Assignment<Name> & { readonly begun: SharedArrayBuffer }): Promise<ResultOf<Name>> {
  tellBegun(begun);
  return await doJob(workerData, assigned);
}

/** Is done once the thread has read its code. */
export const ready = (): null => null;
