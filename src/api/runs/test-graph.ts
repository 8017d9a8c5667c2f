import type { OutputsTest, TestedRun } from '../../simulation/play-outputs.ts';
import type { ApiDeps } from '../deps.ts';
import { resolveGraph } from '../graphs/resolve-graph.ts';
import type { Caller } from '../http/authenticate.ts';
import { toRunnable } from '../graph-jobs/jobs.ts';
import { newIdentity, pinGraph, requireInput } from './start-run.ts';

/** The id of each run of a test, which nothing keeps. */
const TEST_RUN = 'test';

/**
 * Plays a published graph with the outputs of its nodes, in a thread: no run begins, and nothing is called.
 * @param reference `name`, `name@version` or `name@alias`
 * @throws ApiError 404 without such a graph; 422 when it does not take the input, or needs more than a job may
 */
export async function testGraph(
  deps: Pick<ApiDeps, 'store' | 'catalog' | 'graphJobs'>,
  caller: Caller,
  { reference, test }: { readonly reference: string; readonly test: OutputsTest },
): Promise<TestedRun> {
  const { tenantId, permissions } = caller;
  const valid = await resolveGraph(reference, { ...deps, tenantId, permissions }, TEST_RUN);
  const pinned = await pinGraph(deps, tenantId, { valid });
  await requireInput(deps, tenantId, { graph: pinned, input: test.input });
  const identity = newIdentity(pinned, caller, { id: TEST_RUN, tenantId, threadId: null });
  return await deps.graphJobs.do('test', tenantId, { graph: toRunnable(pinned), identity, now: Date.now(), test });
}
