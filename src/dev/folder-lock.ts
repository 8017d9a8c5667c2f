import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { hasCode } from '../graph/values/index.ts';

/**
 * Locks a data folder for this process: two processes would corrupt it. The lock of a dead process is replaced, even if
 * another process now has its number.
 * @returns a function that releases the lock
 * @throws Error if any process holds it, including this one, or the folder can't be written
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'lock');
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(file, processIdentity(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      const holder = readIfThere(file);
      const pid = Number(holder.split(' ')[0]);
      if (tries > 3 || (isAlive(pid) && mayBeSameProcess(holder, processIdentity(pid))))
        throw new Error(`${folder} is in use by process ${pid}; stop it, or give another --data-dir`, { cause: error });
      rmSync(file, { force: true });
    }
  }
}

/** Returns false if both identities contain a start time and these differ. */
function mayBeSameProcess(holder: string, alive: string): boolean {
  return holder === alive || ![holder, alive].every((identity) => /^\d+ \S+ \d+$/.test(identity));
}

/** The number of a process, and on Linux its start time, which distinguishes processes with the same number. */
function processIdentity(pid: number): string {
  const boot = readIfThere('/proc/sys/kernel/random/boot_id').trim();
  // The program name may contain spaces and parentheses; the fields after it don't (proc_pid_stat(5)).
  const fields = readIfThere(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return [pid, boot, fields[19]].join(' ');
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
