import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflow } from '../../../src/dev/bundle-workflow.ts';
import { storeHistoriesIn, replayKept } from './histories.ts';

/**
 * Bundles the workflow code once; stacks and workers of tests get the file through the environment.
 * @returns a function that replays all runs of the tests with it
 */
export async function setup(): Promise<() => Promise<void>> {
  if (process.env['HOLDFAST_WORKFLOW_BUNDLE'] === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-workflow-'));
    // Tests of other projects may still need it when those of this one have ended.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'workflow.js');
    process.env['HOLDFAST_WORKFLOW_BUNDLE'] = file;
    storeHistoriesIn(join(folder, 'histories'));
    await bundleWorkflow(file);
  }
  return async () => {
    const isSame = await replayKept((line) => void process.stdout.write(`${line}\n`));
    // Vitest only prints errors of a teardown, so the exit code is set here.
    if (!isSame) process.exitCode = 1;
  };
}
