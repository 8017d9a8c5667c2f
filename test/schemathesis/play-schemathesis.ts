import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../support/python/install-packages.ts';

const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
const DESCRIPTION = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

export interface SchemathesisOptions {
  /** The address of the tested API. */
  readonly baseUrl: string;
  /** A token with the tested role. */
  readonly token: string;
  readonly seed: number;
  /** The maximum number of examples for each operation in each phase. */
  readonly examples: number;
  /** The time limit; `null` for none. */
  readonly seconds: number | null;
}

export interface SchemathesisReport {
  readonly isPassed: boolean;
  /** The output, with a command for each failure that repeats it. */
  readonly output: string;
}

/**
 * Runs Schemathesis, which sends requests that docs/openapi.json allows and some that it does not, and checks the responses.
 * @throws Error when it can't be installed
 */
export async function playSchemathesis(options: SchemathesisOptions): Promise<SchemathesisReport> {
  const { baseUrl, token, seed, examples, seconds } = options;
  const python = await installPackages('schemathesis', new URL('../support/python/schemathesis.txt', import.meta.url));
  const config = ['--config-file', CONFIG, '--no-color'];
  const amount = ['--seed', String(seed), '--max-examples', String(examples)];
  const limit = seconds === null ? [] : ['--max-time', String(seconds)];
  const args = [...config, 'run', DESCRIPTION, '--url', baseUrl, ...amount, ...limit];
  // Schemathesis repeats earlier failures of its folder, so each execution gets a new folder.
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-schemathesis-'));
  const child = spawn(python, ['-m', 'schemathesis.cli', ...args], {
    cwd: folder,
    env: { ...process.env, API_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  await rm(folder, { recursive: true, force: true });
  return { isPassed: child.exitCode === 0, output };
}
