import type { Catalog } from '../../graph/definition/index.ts';
import { JOBS } from './jobs.ts';
import type { JobName, ResultOf, TaskOf } from './jobs.ts';

/** A job for a thread, as it can be cloned. */
export interface Assignment<Name extends JobName> {
  readonly name: Name;
  readonly task: TaskOf<Name>;
}

type Works = {
  readonly [Name in JobName]: {
    work(catalog: Catalog, task: TaskOf<Name>): ResultOf<Name> | Promise<ResultOf<Name>>;
  };
};

/** Does a job in this thread. */
export async function doJob<Name extends JobName>(
  catalog: Catalog,
  { name, task }: Assignment<Name>,
): Promise<ResultOf<Name>> {
  const works: Works = JOBS;
  return await works[name].work(catalog, task);
}
