import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
/** The last file that the build writes. */
const BUILT = join(PROJECT, 'dist/workflow-bundle.js');

/** Builds the package, unless the build is newer than all of its sources. */
export async function provideBuild(): Promise<void> {
  if (await isFresh()) return;
  await promisify(execFile)('npm', ['run', 'build:package'], { cwd: PROJECT });
}

async function isFresh(): Promise<boolean> {
  if (!existsSync(BUILT)) return false;
  const source = join(PROJECT, 'src');
  const files = await readdir(source, { recursive: true });
  const parts = [join(PROJECT, 'package.json'), ...files.map((file) => join(source, file))];
  return parts.every((part) => changedAt(part) < changedAt(BUILT));
}

function changedAt(path: string): number {
  return statSync(path).ctimeMs;
}
