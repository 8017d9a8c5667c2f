import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Resolves when a child has ended, however it did. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
}

export async function killChild(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended(child);
}

/** Asks a child to end, and ends it when it doesn't. */
export async function stopChild(
  child: ChildProcess,
  withinMs: number,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await ended(child);
  clearTimeout(timer);
}

/**
 * Ends a process that an earlier start has left behind when it was killed itself: it would write the same files.
 * @param marker stands in the orphan's command line, so that nobody else's process is ended
 */
export async function stopOrphan(pidFile: string, marker: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (!Number.isInteger(pid) || pid <= 0) return;
  while ((await commandOf(pid)).includes(marker)) {
    process.kill(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function commandOf(pid: number): Promise<string> {
  const { stdout } = await run('ps', ['-p', String(pid), '-o', 'command=']).catch(() => ({ stdout: '' }));
  return stdout;
}
