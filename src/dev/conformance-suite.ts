import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setVariables } from '../process/set-variables.ts';

/** The conformance suite: scenarios with their runner, which are not part of this repository. */
export interface ConformanceSuite {
  readonly folder: string;
  /** Names what the scenarios call. */
  readonly config: string;
  readonly isThere: boolean;
}

export function findSuite(environment: NodeJS.ProcessEnv): ConformanceSuite {
  const folder = resolve(setVariables(environment)['CONFORMANCE_DIR'] ?? '../shared/conformance-next');
  return { folder, config: join(folder, 'holdfast.config.json'), isThere: existsSync(runnerIn(folder)) };
}

/**
 * Plays scenarios against an engine; their results are printed.
 * @param signal ends the runner
 * @returns its exit code
 */
export async function playSuite(
  { folder }: ConformanceSuite,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  // The runner does nothing when it is started through a link.
  const runner = await realpath(runnerIn(folder));
  const child = spawn(process.execPath, [runner, ...args], { stdio: 'inherit', ...(signal && { signal }) });
  return await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? 1));
  });
}

function runnerIn(folder: string): string {
  return join(folder, 'run.mjs');
}
