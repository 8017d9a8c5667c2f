import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url));

/**
 * Installs Python packages into a separate folder, unless they are installed.
 * @param name the name of the folder, and of the installed packages
 * @param requirements a file in pip's format
 * @returns the path of a Python that has them
 * @throws Error without Python 3.10 or a package index
 */
export async function installPackages(name: string, requirements: URL): Promise<string> {
  const version = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12);
  const folder = join(CACHE, `${name}-${version}`);
  if (!existsSync(folder)) await install(folder, { name, requirements: fileURLToPath(requirements) });
  return join(folder, 'bin', 'python3');
}

/**
 * An existing folder is complete. Scripts contain the path of the original folder, but the interpreter can be moved.
 */
async function install(folder: string, { name, requirements }: { name: string; requirements: string }): Promise<void> {
  const unfinished = `${folder}-${process.pid}`;
  try {
    await run('python3', ['-m', 'venv', '--copies', unfinished]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirements];
    await run(join(unfinished, 'bin', 'python3'), pip);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`${name} needs python3 (3.10 or later) with venv, and a package index`, { cause: error });
  }
}
