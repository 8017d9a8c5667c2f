import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isBuilt, ownModule, ownNodeOptions } from '../process/own-code.ts';

const execFileAsync = promisify(execFile);

const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLE_FOLDER = join(PROJECT_ROOT, 'node_modules/.cache/holdfast');

/**
 * Bundles the workflow code of a repository clone in a separate process, unless an earlier start left an up-to-date
 * bundle.
 * @returns the file; `null` where workers find one: in a package, and by `HOLDFAST_WORKFLOW_BUNDLE`
 */
export async function provideBundle(environment: NodeJS.ProcessEnv): Promise<string | null> {
  if (isBuilt || environment['HOLDFAST_WORKFLOW_BUNDLE']) return null;
  const file = join(BUNDLE_FOLDER, `workflow-${await hashOfSource()}.js`);
  if (existsSync(file)) return file;
  await mkdir(BUNDLE_FOLDER, { recursive: true });
  const written = `${file}.${process.pid}`;
  await execFileAsync(process.execPath, [
    ...ownNodeOptions(),
    ownModule('./bundle-workflow', import.meta.url),
    written,
  ]);
  await rename(written, file);
  await removeOld();
  return file;
}

const KEPT_MS = 7 * 86_400_000;

/** A running stack may still read the file that it started with, so it is not deleted at once. */
async function removeOld(): Promise<void> {
  for (const file of (await readdir(BUNDLE_FOLDER)).map((name) => join(BUNDLE_FOLDER, name)))
    if (Date.now() - (await stat(file)).mtimeMs > KEPT_MS) await rm(file, { force: true });
}

/** Hashes the source by its files, their modification times and the installed packages. */
async function hashOfSource(): Promise<string> {
  const source = await readdir(join(PROJECT_ROOT, 'src'), { recursive: true });
  const files = source.filter((name) => name.endsWith('.ts')).map((name) => join(PROJECT_ROOT, 'src', name));
  const facts = [join(PROJECT_ROOT, 'package-lock.json'), ...files.toSorted()].map(async (file) => {
    const { mtimeMs, size } = await stat(file);
    return `${file} ${mtimeMs} ${size}`;
  });
  return createHash('sha256')
    .update((await Promise.all(facts)).join('\n'))
    .digest('hex')
    .slice(0, 32);
}
