import type { Catalog } from '../../../src/graph/definition/catalog.ts';
import { doJob } from '../../../src/api/graph-jobs/job-thread.ts';
import type { GraphJobs } from '../../../src/api/graph-jobs/jobs.ts';

/** Executes the jobs of the API in the thread of the test, without limits, because threads take a second to start. */
export function graphJobsHere(catalog: Catalog): GraphJobs {
  return {
    do: (name, _tenantId, ...parameters) => doJob(catalog, name, ...structuredClone(parameters)),
    ready: async () => undefined,
    close: async () => undefined,
  };
}
