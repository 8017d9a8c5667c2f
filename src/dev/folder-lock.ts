import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Locks a data folder for this process: two processes would corrupt it. The lock of a dead process is replaced.
 * @returns a function that releases the lock
 * @throws Error if another process holds it
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'lock');
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      const holder = Number(readIfThere(file));
      if (tries > 3 || isAlive(holder))
        throw new Error(`${folder} is in use by process ${holder}; stop it, or give another --data-dir`, {
          cause: error,
        });
      rmSync(file, { force: true });
    }
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
