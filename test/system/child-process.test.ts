import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { isAlive } from '../support/servers/npm-start.ts';

const MODULE = new URL('../../src/dev/child-process.ts', import.meta.url).href;

/** Starts a detached child that would run for a minute, prints its id, and exits. */
const script = (end: string): string => `
  const { spawn } = await import('node:child_process');
  const { endWithProcess } = await import('${MODULE}');
  const child = spawn('sleep', ['60'], { stdio: 'ignore', detached: true });
  endWithProcess(child);
  process.stdout.write(String(child.pid));
  ${end};
`;

test.each([
  ['an error', "throw new Error('a fault')"],
  ['an error in a callback', "setTimeout(() => { throw new Error('a fault'); }); await new Promise(() => {})"],
  ['process.exit', 'process.exit(3)'],
])('a child process ends when its parent ends by %s', { timeout: 120_000 }, async (_what, end) => {
  const flags = ['--import', 'tsx', '--input-type', 'module', '--eval', script(end)];
  const parent = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [said] = await Promise.all([text(parent.stdout), once(parent, 'exit')]);
  const pid = Number(said);
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
});
