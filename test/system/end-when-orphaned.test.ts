import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { isAlive } from '../support/servers/npm-start.ts';

const MODULE = new URL('../support/servers/end-when-orphaned.ts', import.meta.url).href;

/** Starts a detached child that would run for a minute, and prints its id. */
const SCRIPT = `
  const { spawn } = await import('node:child_process');
  const { endWhenOrphaned } = await import('${MODULE}');
  const child = spawn('sleep', ['60'], { stdio: 'ignore', detached: true });
  endWhenOrphaned(child.pid);
  process.stdout.write(String(child.pid));
`;

test('a detached process ends when the process that started it is killed', { timeout: 120_000 }, async () => {
  const flags = ['--import', 'tsx', '--input-type', 'module', '--eval', SCRIPT];
  const parent = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  const complaint = text(parent.stderr);
  const said: unknown[] = await Promise.race([once(parent.stdout, 'data'), once(parent, 'exit').then(() => [])]);
  if (said.length === 0) throw new Error(`The process has ended: ${await complaint}`);
  const pid = Number(said[0]);
  expect([pid > 0, isAlive(pid)]).toEqual([true, true]);
  parent.kill('SIGKILL');
  await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
});
