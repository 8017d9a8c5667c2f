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
  /** The API that is tested. */
  readonly baseUrl: string;
  /** Of somebody whose role is tested. */
  readonly token: string;
  readonly seed: number;
  /** The most of each operation, in each phase. */
  readonly examples: number;
  /** `null`: it ends when it is done. */
  readonly seconds: number | null;
}

export interface SchemathesisReport {
  readonly isPassed: boolean;
  /** What it has said, with a command for each failure that plays it again. */
  readonly said: string;
}

/**
 * Lets Schemathesis send requests that docs/openapi.json allows, and some that it does not, and checks the answers.
 * @throws Error when it can't be installed
 */
export async function playSchemathesis(options: SchemathesisOptions): Promise<SchemathesisReport> {
  const { baseUrl, token, seed, examples, seconds } = options;
  const python = await installPackages('schemathesis', new URL('../support/python/schemathesis.txt', import.meta.url));
  const config = ['--config-file', CONFIG, '--no-color'];
  const amount = ['--seed', String(seed), '--max-examples', String(examples)];
  const limit = seconds === null ? [] : ['--max-time', String(seconds)];
  const args = [...config, 'run', DESCRIPTION, '--url', baseUrl, ...amount, ...limit];
  // It plays again what has failed in its folder before, so each time it has another one.
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-schemathesis-'));
  const child = spawn(python, ['-m', 'schemathesis.cli', ...args], {
    cwd: folder,
    env: { ...process.env, API_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  await rm(folder, { recursive: true, force: true });
  return { isPassed: child.exitCode === 0, said };
}
