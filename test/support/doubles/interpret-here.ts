import type { Catalog } from '../../../src/graph/definition/catalog.ts';
import type { Interpreter } from '../../../src/api/interpreter/interpreter.ts';
import { doJob } from '../../../src/api/interpreter/do-job.ts';

/** Does the jobs of the API in the thread of the test, without limits: threads take a second to start. */
export function interpretHere(catalog: Catalog): Interpreter {
  return {
    run: (name, _tenantId, task) => doJob(catalog, { name, task: structuredClone(task) }),
    ready: async () => undefined,
    close: async () => undefined,
  };
}
