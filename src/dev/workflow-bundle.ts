import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isBuilt, ownModule, ownNodeOptions } from '../process/own-code.ts';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'node_modules/.cache/holdfast');

/**
 * Bundles the workflow's code of a clone, in a process beside this one, unless an earlier start has left it. It is made anew when
 * a file of the source is changed.
 * @returns the file; `null` where workers find one: in a package, and by `HOLDFAST_WORKFLOW_BUNDLE`
 */
export async function provideBundle(environment: NodeJS.ProcessEnv): Promise<string | null> {
  if (isBuilt || environment['HOLDFAST_WORKFLOW_BUNDLE']) return null;
  const file = join(FOLDER, `workflow-${await hashOfSource()}.js`);
  if (existsSync(file)) return file;
  await mkdir(FOLDER, { recursive: true });
  const written = `${file}.${process.pid}`;
  await run(process.execPath, [...ownNodeOptions(), ownModule('./bundle-workflow', import.meta.url), written]);
  await rename(written, file);
  await removeOld();
  return file;
}

const KEPT_MS = 7 * 86_400_000;

/** A stack that runs may still read the file that it has begun with. */
async function removeOld(): Promise<void> {
  for (const file of (await readdir(FOLDER)).map((name) => join(FOLDER, name)))
    if (Date.now() - (await stat(file)).mtimeMs > KEPT_MS) await rm(file, { force: true });
}

/** Names the source by its files, when they were changed, and the packages that are installed. */
async function hashOfSource(): Promise<string> {
  const source = await readdir(join(ROOT, 'src'), { recursive: true });
  const files = source.filter((name) => name.endsWith('.ts')).map((name) => join(ROOT, 'src', name));
  const facts = [join(ROOT, 'package-lock.json'), ...files.toSorted()].map(async (file) => {
    const { mtimeMs, size } = await stat(file);
    return `${file} ${mtimeMs} ${size}`;
  });
  return createHash('sha256')
    .update((await Promise.all(facts)).join('\n'))
    .digest('hex')
    .slice(0, 32);
}
