import process from 'node:process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../graph/values/index.ts';

/** The default folder of a stack's state. */
export const DATA_DIR = '.holdfast';

/** The file with the addresses and tokens of the stack that runs, or ran last, with this folder. */
export function tokensFileIn(dataDir: string): string {
  return join(dataDir, 'tokens.json');
}

export function logFileIn(dataDir: string): string {
  return join(dataDir, 'holdfast.log');
}

/** The key that signs the tokens of a stack. */
export function issuerKeyIn(dataDir: string): string {
  return join(dataDir, 'issuer-key.json');
}

/** A folder for files that are created or downloaded once for all projects of a person. It may not exist yet. */
export function cacheFolder(environment: NodeJS.ProcessEnv, name: string): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', name);
}

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
      if (tries > 3 || (isProcessAlive(pid) && mayBeSameProcess(holder, processIdentity(pid))))
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

function isProcessAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
