import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** Keeps the history of a workflow in a file that `Worker.runReplayHistory` can play. @returns the path of the file */
export async function keepHistory(workflow: WorkflowHandle): Promise<string> {
  const path = join(tmpdir(), `holdfast-chaos-${workflow.workflowId.replaceAll('/', '-')}.json`);
  await writeFile(path, historyToJSON(await workflow.fetchHistory()));
  return path;
}
