import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { cacheFolder } from '../../../src/dev/cache-folder.ts';

/** What a target has given at a time, in milliseconds since the epoch. */
export interface Scrape {
  readonly at: number;
  readonly text: string;
}

const Results = z.array(z.object({ series: z.number(), compared: z.number(), error: z.string().optional() }));

/** What came of a query: the series that it gives, and those that it compares with a bound; or why it can't be evaluated. */
type QueryResult = z.output<typeof Results>[number];

const SOURCES = ['main.go', 'go.mod'] as const;
const sourceOf = (name: string): URL => new URL(`./${name}`, import.meta.url);

/**
 * Evaluates queries with Prometheus's own engine, at the time of the last scrape.
 * @throws when there is no Go, which builds the program once
 */
export async function evaluateQueries(
  scrapes: readonly Scrape[],
  queries: readonly string[],
): Promise<readonly QueryResult[]> {
  const evaluated = promisify(execFile)(await provideProgram(), { maxBuffer: 16 * 1_048_576 });
  evaluated.child.stdin?.end(JSON.stringify({ scrapes, queries }));
  return Results.parse(JSON.parse((await evaluated).stdout));
}

/** Finds the program in the cache, or builds it, which takes a minute or two. */
async function provideProgram(): Promise<string> {
  const sources = await Promise.all(SOURCES.map(async (name) => await readFile(sourceOf(name))));
  const version = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 12);
  const program = cacheFolder(process.env, `promql-${version}`);
  if (existsSync(program)) return program;
  await mkdir(join(program, '..'), { recursive: true });
  const work = await mkdtemp(`${program}-`);
  try {
    for (const name of SOURCES) await copyFile(sourceOf(name), join(work, name));
    const env = { ...process.env, GOFLAGS: '-mod=mod' };
    await promisify(execFile)('go', ['build', '-o', 'promql', '.'], { cwd: work, env, maxBuffer: 64 * 1_048_576 });
    await rename(join(work, 'promql'), program);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return program;
}
