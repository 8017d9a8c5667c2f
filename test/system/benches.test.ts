import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readFile } from '../support/readers/documentation.ts';

/*
 * Each bench runs at its smallest size, so that a broken one is noticed. Two options are not tested: `--share` of
 * bench:workers needs root and Linux's control groups, and SQLite for LangGraph needs a package that is not installed
 * here.
 */

const run = promisify(execFile);
const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(readFile('package.json')));
const BENCHES = Object.keys(scripts).filter((name) => name.startsWith('bench:'));
const PAGE = 'docs/performance.md';

/** Runs a script at its smallest size. @returns its lines of JSON @throws if it fails */
async function playTiny(script: string, ...flags: readonly string[]): Promise<readonly unknown[]> {
  const { stdout } = await run('npm', ['run', '--silent', script, '--', ...flags], {
    env: { ...process.env, BENCH_SIZE: 'tiny' },
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line));
}

// A clone installs no other engines: they are in a package of their own.
beforeAll(async () => {
  if (!existsSync('bench/node_modules')) await run('npm', ['ci', '--prefix', 'bench']);
}, 300_000);

test.each(BENCHES)('the benchmark %s prints lines of JSON and exits with 0', { timeout: 300_000 }, async (script) => {
  const page = readFile(PAGE);
  expect(await playTiny(script)).not.toEqual([]);
  expect(readFile(PAGE)).toBe(page);
});

test('bench:peers measures the output of npm run build', { timeout: 300_000 }, async () => {
  await run('npm', ['run', 'build:package']);
  const lines = await playTiny('bench:peers', '--dist', '--peers', 'holdfast', '--only', 'tool-steps');
  expect(lines).toMatchObject([{ row: 'tool-steps', peer: 'holdfast' }, { round: 1 }]);
});
