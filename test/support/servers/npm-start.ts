import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { consoleAddress, openIssuer } from '../../../src/dev/issuer.ts';
import { createApiClient } from '../readers/api-client.ts';
import type { ApiClient } from '../readers/api-client.ts';

const PROJECT = new URL('../../..', import.meta.url);

export type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface Started {
  readonly process: Child;
  readonly ready: Readonly<Record<'baseUrl' | 'temporalAddress' | 'uiUrl', string>>;
}

/** Starts the process directly, so that signals and exit codes belong to it. */
const DIRECTLY: readonly [string, ...string[]] = [process.execPath, 'bin/holdfast.js', 'start', '--demo'];

/** `npm start` like a user who has not bundled the workflow code; in a separate process with one data folder. */
export interface NpmStart {
  /** Starts it with the given flags. */
  readonly launch: (...flags: string[]) => Child;
  /** Starts it on free ports, optionally with a given port for the API, and waits until it is ready. */
  readonly start: (command?: readonly [string, ...string[]], port?: number) => Promise<Started>;
  /** Returns a console address that signs in once. */
  readonly consoleUrl: (started: Started) => Promise<string>;
  readonly as: (caller: string, started: Started) => Promise<ApiClient>;
  readonly tokensFile: () => string;
  /** The path of a file of its state. */
  readonly dataFile: (name: string) => string;
}

/**
 * Provides one data folder for all tests of a file; running processes are stopped at the end.
 * @param project the working folder
 */
export function useNpmStart(project: () => string | URL = () => PROJECT): NpmStart {
  let folder: string;
  let tokensFile: string;
  const running: Child[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-start-'));
    tokensFile = join(folder, 'tokens.json');
  });
  afterAll(async () => {
    await Promise.all(running.map(async (child) => await end(child, 'SIGTERM')));
    await rm(folder, { recursive: true, force: true });
  });

  const launchBy = (command: readonly [string, ...string[]], ...flags: string[]): Child => {
    const [program, ...args] = command;
    const child = spawn(program, [...args, '--data-dir', join(folder, 'data'), ...flags], {
      cwd: project(),
      env: { ...process.env, HOLDFAST_WORKFLOW_BUNDLE: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    return child;
  };
  const launch = (...flags: string[]): Child => launchBy(DIRECTLY, ...flags);
  const start = async (command = DIRECTLY, port = 0): Promise<Started> => {
    const child = launchBy(
      command,
      '--json',
      '--tokens-file',
      tokensFile,
      '--port',
      String(port),
      '--temporal-port',
      '0',
      '--ui-port',
      '0',
    );
    const line = await firstLine(child);
    return { process: child, ready: JSON.parse(line) };
  };
  const as = async (caller: string, { ready }: Started): Promise<ApiClient> => {
    const tokens: Record<string, string> = JSON.parse(await readFile(tokensFile, 'utf8'));
    return createApiClient(ready.baseUrl, tokens[caller] ?? '');
  };
  const dataFile = (name: string): string => join(folder, 'data', name);
  const consoleUrl = async ({ ready }: Started): Promise<string> =>
    await consoleAddress(ready.baseUrl, await openIssuer(dataFile('issuer-key.json'), {}));
  return { launch, start, as, consoleUrl, dataFile, tokensFile: () => tokensFile };
}

async function firstLine(child: Child): Promise<string> {
  // Node discards output that is not read before the process ends.
  const said = text(child.stderr).catch(String);
  const lines = createInterface({ input: child.stdout });
  const first: unknown[] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
  const [line] = first;
  if (typeof line === 'string') return line;
  throw new Error(`It ended at once, with the exit code and signal ${JSON.stringify(first)}: ${await said}`);
}

export async function end(child: Child, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
