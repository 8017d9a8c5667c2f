import { mkdtemp, rm, writeFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isMain } from '../process/own-code.ts';
import { keepHistories } from './replays/keep-histories.ts';
import { describeHistoryDifference, replayHistories } from './replays/replay-histories.ts';
import { startStack } from './stack.ts';
import type { Stack } from './stack.ts';
import { provideBundle } from './workflow-bundle.ts';
import { setVariables } from '../process/process-options.ts';

/**
 * Starts a stack with the conformance suite's configuration and runs the suite's scenarios against it. Afterwards it
 * replays the histories of all their runs.
 */
async function runConformance(): Promise<number> {
  const suite = findConformanceSuite(process.env);
  if (!suite.isThere) {
    process.stdout.write(`There is no conformance suite at ${suite.folder}; CONFORMANCE_DIR names another folder.\n`);
    return 0;
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
  const code = await provideBundle(process.env);
  const environment = { ...process.env, ...(code !== null && { HOLDFAST_WORKFLOW_BUNDLE: code }) };
  const stack = await startStack({
    config: suite.config,
    port: 0,
    temporalPort: 0,
    uiPort: 0,
    dataDir,
    environment,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    const tokens = join(dataDir, 'tokens.json');
    await writeFile(tokens, JSON.stringify(stack.tokens), { mode: 0o600 });
    const args = ['--base-url', stack.baseUrl, '--tokens', tokens, ...process.argv.slice(2)];
    const exitCode = await playSuite(suite, args);
    const isSame = await replayAll(stack, join(dataDir, 'histories'), environment);
    return exitCode === 0 && !isSame ? 1 : exitCode;
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** @returns false if the replay of a run differs from its history */
async function replayAll(stack: Stack, folder: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  await keepHistories(stack.histories(), folder, 'the conformance suite');
  const { replayed, bundle, differences } = await replayHistories(folder, environment);
  process.stdout.write(`Replayed ${replayed} histories by workflow code ${bundle}\n`);
  for (const difference of differences) process.stdout.write(` FAIL  ${describeHistoryDifference(difference)}\n`);
  return differences.length === 0;
}

if (isMain(import.meta.url)) process.exit(await runConformance());

/** The conformance suite: scenarios with their runner, which are not part of this repository. */
export interface ConformanceSuite {
  readonly folder: string;
  /** The configuration with the tools and models that the scenarios call. */
  readonly config: string;
  readonly isThere: boolean;
}

export function findConformanceSuite(environment: NodeJS.ProcessEnv): ConformanceSuite {
  const folder = resolve(setVariables(environment)['CONFORMANCE_DIR'] ?? '../shared/conformance-next');
  return { folder, config: join(folder, 'holdfast.config.json'), isThere: existsSync(suiteRunner(folder)) };
}

/**
 * Runs scenarios against an engine; the runner prints their results.
 * @param signal stops the runner
 * @returns the runner's exit code
 */
export async function playSuite(
  { folder }: ConformanceSuite,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  // The runner exits without running anything if it is started through a symbolic link.
  const runner = await realpath(suiteRunner(folder));
  const child = spawn(process.execPath, [runner, ...args], { stdio: 'inherit', ...(signal && { signal }) });
  return await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? 1));
  });
}

function suiteRunner(folder: string): string {
  return join(folder, 'run.mjs');
}
