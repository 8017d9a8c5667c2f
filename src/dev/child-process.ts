import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);

/** Resolves when a child has exited. */
async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
}

export async function killChild(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await waitForExit(child);
}

/** Signals a child to exit, and kills it after the given time. */
export async function stopChild(
  child: ChildProcess,
  withinMs: number,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await waitForExit(child);
  clearTimeout(timer);
}

/** Kills a child when this process exits for any reason but SIGKILL: a detached child would otherwise continue. */
export function endWithProcess(child: ChildProcess): void {
  const end = (): void => void child.kill();
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}

/**
 * Kills a process that an earlier, killed start left behind: both would write the same files.
 * @param marker text in the orphan's command line, which protects other processes with its pid
 */
export async function stopOrphan(pidFile: string, marker: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (!Number.isInteger(pid) || pid <= 0) return;
  while ((await commandOfProcess(pid)).includes(marker)) {
    process.kill(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function commandOfProcess(pid: number): Promise<string> {
  const { stdout } = await execFileAsync('ps', ['-p', String(pid), '-o', 'command=']).catch(() => ({ stdout: '' }));
  return stdout;
}
