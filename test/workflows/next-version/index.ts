import { sleep } from '@temporalio/workflow';
import type { Json } from '../../../src/graph/json.ts';
import type { WorkflowInput } from '../../../src/workflows/contract.ts';
import { interpreterVersionOf } from '../../../src/workflows/interpreter-version.ts';
import { runGraph as runVersion1 } from '../../../src/workflows/run-graph.ts';

/** The workflow as its next version might be: it gives a command that version 1 does not, where the version says so. */
export async function runGraph(input: WorkflowInput): Promise<Json> {
  if (interpreterVersionOf(input, 2) >= 2) await sleep(1, { summary: 'interpreter 2' });
  return await runVersion1(input);
}
