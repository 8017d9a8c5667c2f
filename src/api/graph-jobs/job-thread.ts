import { workerData } from 'piscina';
import { tellBegun } from './job-limit.ts';
import { JOBS } from './jobs.ts';
import type { JobName, ResultOf, TaskOf } from './jobs.ts';
import type { Catalog } from '../../graph/definition/index.ts';

/* The entry point of the pool's threads. Their start data is the installation's catalog. */

export async function doAssigned<Name extends JobName>({
  begun,
  ...assigned
}: Assignment<Name> & { readonly begun: SharedArrayBuffer }): Promise<ResultOf<Name>> {
  tellBegun(begun);
  return await doJob(workerData, assigned);
}

/** Resolves once the thread has loaded its code. */
export const ready = (): null => null;

/** A job in a form that can be cloned to a thread. */
export interface Assignment<Name extends JobName> {
  readonly name: Name;
  readonly task: TaskOf<Name>;
}

type Works = {
  readonly [Name in JobName]: {
    work(catalog: Catalog, task: TaskOf<Name>): ResultOf<Name> | Promise<ResultOf<Name>>;
  };
};

/** Executes a job in this thread. */
export async function doJob<Name extends JobName>(
  catalog: Catalog,
  { name, task }: Assignment<Name>,
): Promise<ResultOf<Name>> {
  const works: Works = JOBS;
  return await works[name].work(catalog, task);
}
