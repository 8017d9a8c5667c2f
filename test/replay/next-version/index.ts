import { sleep } from '@temporalio/workflow';
import { INTERPRETER_VERSION } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { WorkflowInput } from '../../../src/workflows/contract.ts';
import { interpreterVersionOf } from '../../../src/workflows/run-graph.ts';
import { runGraph as runThisVersion } from '../../../src/workflows/run-graph.ts';

/** The workflow as its next version might be: it gives a command that this one does not, where the version says so. */
export async function runGraph(input: WorkflowInput): Promise<Json> {
  const next = INTERPRETER_VERSION + 1;
  if (interpreterVersionOf(input, next) >= next) await sleep(1, { summary: `interpreter ${next}` });
  return await runThisVersion(input);
}
