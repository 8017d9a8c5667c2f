import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflow } from '../../../src/dev/bundle-workflow.ts';

/** Bundles the workflow's code once: all stacks and workers that tests start are given it by the environment. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['HOLDFAST_WORKFLOW_BUNDLE'] !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-workflow-'));
  const file = join(folder, 'workflow.js');
  process.env['HOLDFAST_WORKFLOW_BUNDLE'] = file;
  await bundleWorkflow(file);
  return async () => {
    delete process.env['HOLDFAST_WORKFLOW_BUNDLE'];
    await rm(folder, { recursive: true, force: true });
  };
}
