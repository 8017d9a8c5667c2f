import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../src/dev/data-folder.ts';

const SOURCES = ['main.go', 'go.mod'] as const;
const sourceOf = (name: string): URL => new URL(`./${name}`, import.meta.url);

/**
 * Finds the program that evaluates queries in the cache, or builds it, which takes one or two minutes.
 * @returns its path
 * @throws when Go is not installed
 */
export async function promqlProgram(): Promise<string> {
  const sources = await Promise.all(SOURCES.map(async (name) => await readFile(sourceOf(name))));
  const version = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 12);
  const program = cacheFolder(process.env, `promql-${version}`);
  if (!existsSync(program)) await build(program);
  return program;
}

async function build(program: string): Promise<void> {
  await mkdir(join(program, '..'), { recursive: true });
  const work = await mkdtemp(`${program}-`);
  try {
    for (const name of SOURCES) await copyFile(sourceOf(name), join(work, name));
    const env = { ...process.env, GOFLAGS: '-mod=mod' };
    await promisify(execFile)('go', ['build', '-o', 'promql', '.'], { cwd: work, env, maxBuffer: 64 * 1_048_576 });
    await rename(join(work, 'promql'), program);
  } catch (error) {
    throw new Error('The tests of monitoring build an engine of Prometheus: install Go', { cause: error });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Builds it once before the tests, because a build takes longer than a test may. */
export async function setup(): Promise<void> {
  await promqlProgram();
}
