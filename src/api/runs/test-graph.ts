import type { ApiDeps } from '../deps.ts';
import { resolveGraph } from '../graphs/resolve-graph.ts';
import type { Caller } from '../http/authenticate.ts';
import { toRunnable } from '../graph-jobs/jobs.ts';
import type { OutputsTest, TestedRun } from '../../simulation/play-outputs.ts';
import { newIdentity, pinGraph, requireInput } from './new-run.ts';

/** The id of each test run; nothing is stored under it. */
const TEST_RUN = 'test';

/**
 * Runs a published graph with given node outputs, in a worker thread. No run is stored and no call is made.
 * @param reference `name`, `name@version` or `name@alias`
 * @throws ApiError 404 when the graph does not exist; 422 when it does not accept the input or exceeds the limits of a
 * job
 */
export async function testGraph(
  deps: Pick<ApiDeps, 'store' | 'catalog' | 'graphJobs'>,
  caller: Caller,
  reference: string,
  test: OutputsTest,
): Promise<TestedRun> {
  const { tenantId, permissions } = caller;
  const valid = await resolveGraph(reference, { ...deps, tenantId, permissions }, TEST_RUN);
  const pinned = await pinGraph(deps, tenantId, { valid });
  await requireInput(deps, tenantId, pinned, test.input);
  const identity = newIdentity(pinned, caller, { id: TEST_RUN, tenantId, threadId: null });
  return await deps.graphJobs.do('test', tenantId, toRunnable(pinned), identity, test, Date.now());
}
