import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/* What becomes of a command, in a process of its own, when nobody takes what it prints. */

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const FULL_DISK = '/dev/full';

const COMMANDS = [
  { closed: 'stdout', other: 'stderr', args: ['help', 'run'] },
  { closed: 'stdout', other: 'stderr', args: ['diagram', 'graphs/refund-triage.json'] },
  { closed: 'stderr', other: 'stdout', args: ['no-command'] },
] as const;

describe('a command', () => {
  test.each(COMMANDS)(
    '$args.0 ends without a word when nobody reads its $closed',
    { timeout: 60_000 },
    async ({ closed, other, args }) => {
      const child = spawn(process.execPath, ['bin/holdfast.js', ...args], {
        cwd: PROJECT,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = once(child, 'exit');
      child[closed].destroy();
      expect(await text(child[other])).toBe('');
      expect(await ended).toEqual([141, null]);
    },
  );

  test.runIf(process.platform === 'linux')('says that the disk is full', { timeout: 60_000 }, async () => {
    const disk = await open(FULL_DISK, 'w');
    const child = spawn(process.execPath, ['bin/holdfast.js', 'help', 'run'], {
      cwd: PROJECT,
      stdio: ['ignore', disk.fd, 'pipe'],
    });
    const ended = once(child, 'exit');
    const said = child.stderr && (await text(child.stderr));
    expect(said).toMatch(/^holdfast: what it prints can't be written: ENOSPC.*\n$/);
    expect(await ended).toEqual([1, null]);
    await disk.close();
  });
});
