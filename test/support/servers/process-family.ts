import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** True if the process has ended and only its exit code is left. */
  readonly isZombie: boolean;
}

/**
 * Suspends a process and its descendants until `resumeProcessTree`.
 * @throws RangeError for an id that no child has: 0 is the group of the test itself
 */
export async function suspendProcessTree(pid: number): Promise<readonly number[]> {
  if (pid < 2) throw new RangeError(`No child has the number ${pid}`);
  // A suspended process can't start further children.
  const stopped = new Set<number>();
  for (let found = [pid]; found.length > 0;) {
    for (const member of found) send(member, 'SIGSTOP');
    for (const member of found) stopped.add(member);
    found = familyOf(await listProcesses(), pid).filter((member) => !stopped.has(member));
  }
  return [...stopped];
}

/** Resumes a process and its descendants. */
export async function resumeProcessTree(pid: number): Promise<void> {
  for (const member of familyOf(await listProcesses(), pid)) send(member, 'SIGCONT');
}

/**
 * Kills a child and its descendants at once, like a power failure, and waits until they have ended. An ended child is
 * left alone, because another process may have its id by now.
 */
export async function killProcessTree({
  pid = 0,
  exitCode,
  signalCode,
}: Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode'>): Promise<void> {
  if (exitCode !== null || signalCode !== null) return;
  const family = await suspendProcessTree(pid);
  for (const member of family) send(member, 'SIGKILL');
  await untilExited(family);
}

/** The descendants of a process. */
export async function descendantsOf(pid: number): Promise<readonly number[]> {
  return familyOf(await listProcesses(), pid).slice(1);
}

/** The descendants of a process whose command line contains a text. */
export async function descendantsNamed(pid: number, text: string): Promise<readonly number[]> {
  const all = await listProcesses();
  const named = all.filter(({ command, isZombie }) => !isZombie && command.includes(text));
  const family = new Set(familyOf(all, pid).slice(1));
  return named.map(({ pid }) => pid).filter((member) => family.has(member));
}

/** The processor time of some processes, in seconds. */
export async function cpuSecondsOf(processes: readonly number[]): Promise<number> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,cputimes=']);
  const times = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return times.reduce((sum, [pid, seconds = 0]) => (pid && processes.includes(pid) ? sum + seconds : sum), 0);
}

/** Waits until all given processes have ended. */
export async function untilExited(processes: readonly number[]): Promise<void> {
  while (await isAnyAlive(processes)) await sleep(20);
}

async function listProcesses(): Promise<readonly Process[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, state = '', ...command] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), isZombie: state.startsWith('Z'), command: command.join(' ') };
    });
}

/** The descendants, oldest first. */
function familyOf(all: readonly Process[], pid: number): readonly number[] {
  const children = all.filter(({ parent }) => parent === pid);
  return [pid, ...children.flatMap((child) => familyOf(all, child.pid))];
}

async function isAnyAlive(family: readonly number[]): Promise<boolean> {
  const all = await listProcesses();
  return all.some(({ pid, isZombie }) => !isZombie && family.includes(pid));
}

/** Signals a process, unless it has ended. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}
