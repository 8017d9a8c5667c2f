import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Teardown } from '../../src/dev/teardown.ts';
import { killProcessTree } from '../../test/support/servers/process-family.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** A program that takes longer is killed with its descendants. */
const STOPS_WITHIN_MS = 120_000;

/** A Node program, and its first line of output. */
export interface Program {
  readonly pid: number;
  readonly firstLine: string;
}

interface ProgramOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly teardown: Teardown;
}

/** Starts a script of the project with arguments, and waits for its first line. @throws when it exits before */
export async function startProgram(
  [script, ...args]: readonly [string, ...string[]],
  { environment = {}, teardown }: ProgramOptions,
): Promise<Program> {
  const loader = script.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, [...loader, script, ...args], {
    cwd: PROJECT,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const noticeEnd = (code: number | null, signal: string | null): void =>
    void process.stderr.write(`${script} has ended by itself: ${signal ?? code}\n`);
  child.once('exit', noticeEnd);
  teardown.add(async () => {
    child.off('exit', noticeEnd);
    const timer = setTimeout(() => void killProcessTree(child), STOPS_WITHIN_MS);
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    clearTimeout(timer);
  });
  const lines = createInterface({ input: child.stdout });
  const line: unknown = await Promise.race([
    once(lines, 'line').then(([given]: unknown[]) => given),
    once(child, 'exit'),
  ]);
  if (typeof line !== 'string') throw new Error(`${script} ended at once`);
  return { pid: child.pid ?? 0, firstLine: line };
}
