import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { provideTemporalBinaries } from './temporal-binaries.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
/** What the build writes last. */
const BUILT = join(PROJECT, 'dist/workflow-bundle.js');

/** Provides the programs of a cluster once: Temporal's server, and the built package. */
export async function setup(): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await provideTemporalBinaries(say);
  if (await isBuilt()) return;
  say('Building the package …');
  await promisify(execFile)('npm', ['run', 'build:package'], { cwd: PROJECT });
}

/** Whether the build is newer than all that it is made of. */
async function isBuilt(): Promise<boolean> {
  if (!existsSync(BUILT)) return false;
  const source = join(PROJECT, 'src');
  const files = await readdir(source, { recursive: true });
  const changedAt = [join(PROJECT, 'package.json'), ...files.map((file) => join(source, file))].map(modifiedAt);
  return changedAt.every((time) => time < modifiedAt(BUILT));
}

function modifiedAt(path: string): number {
  return statSync(path).ctimeMs;
}
