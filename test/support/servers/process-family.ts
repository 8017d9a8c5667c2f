import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Nothing but its exit code is left of it. */
  readonly isZombie: boolean;
}

/** Sends a signal to a process and to all that it has started. */
export async function signalFamily(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  for (const member of familyOf(await listProcesses(), pid)) send(member, signal);
}

/** Ends a process and all that it has started at once, as a power cut would, and waits until they are gone. */
export async function killFamily(pid: number): Promise<void> {
  // A stopped process starts no child that could be overlooked.
  send(pid, 'SIGSTOP');
  const family = familyOf(await listProcesses(), pid);
  for (const member of family) send(member, 'SIGKILL');
  await untilGone(family);
}

/** All that a process has started, and what that has. */
export async function descendantsOf(pid: number): Promise<readonly number[]> {
  return familyOf(await listProcesses(), pid).slice(1);
}

/** The time that the processor has spent on some processes, in seconds. */
export async function cpuSecondsOf(processes: readonly number[]): Promise<number> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,cputimes=']);
  const times = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return times.reduce((sum, [pid, seconds = 0]) => (pid && processes.includes(pid) ? sum + seconds : sum), 0);
}

/** Waits until none of some processes is alive. */
export async function untilGone(processes: readonly number[]): Promise<void> {
  while (await isAnyAlive(processes)) await sleep(20);
}

async function listProcesses(): Promise<readonly Process[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, state = ''] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), isZombie: state.startsWith('Z') };
    });
}

/** The oldest first. */
function familyOf(all: readonly Process[], pid: number): readonly number[] {
  const children = all.filter(({ parent }) => parent === pid);
  return [pid, ...children.flatMap((child) => familyOf(all, child.pid))];
}

async function isAnyAlive(family: readonly number[]): Promise<boolean> {
  const all = await listProcesses();
  return all.some(({ pid, isZombie }) => !isZombie && family.includes(pid));
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}
