import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflow } from '../../../src/dev/bundle-workflow.ts';
import { keepHistoriesIn, replayKept } from './histories.ts';

/**
 * Bundles the workflow's code once: all stacks and workers that tests start are given it by the environment.
 * @returns replays all runs of the tests by it
 */
export async function setup(): Promise<() => Promise<void>> {
  if (process.env['HOLDFAST_WORKFLOW_BUNDLE'] === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-workflow-'));
    // Tests of other projects may still need it when those of this one are over.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'workflow.js');
    process.env['HOLDFAST_WORKFLOW_BUNDLE'] = file;
    keepHistoriesIn(join(folder, 'histories'));
    await bundleWorkflow(file);
  }
  return async () => {
    const isSame = await replayKept((line) => void process.stdout.write(`${line}\n`));
    // Vitest only prints what a teardown throws.
    if (!isSame) process.exitCode = 1;
  };
}
