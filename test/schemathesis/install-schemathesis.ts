import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/**
 * Installs Schemathesis into a folder of its own, unless it is there.
 * @returns the path of its Python, which runs it by `-m schemathesis.cli`
 * @throws Error without Python 3.10 or a package index
 */
export async function installSchemathesis(): Promise<string> {
  const version = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex')
    .slice(0, 12);
  const folder = join(CACHE, `schemathesis-${version}`);
  if (!existsSync(folder)) await install(folder);
  return join(folder, 'bin', 'python3');
}

/** A folder that is there is whole. Its scripts would name the folder of before; its interpreter can be moved. */
async function install(folder: string): Promise<void> {
  const unfinished = `${folder}-${process.pid}`;
  try {
    await run('python3', ['-m', 'venv', '--copies', unfinished]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', REQUIREMENTS];
    await run(join(unfinished, 'bin', 'python3'), pip);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error('Schemathesis needs python3 (3.10 or later) with venv, and a package index', { cause: error });
  }
}
