import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

/* The behavior of a command in a separate process when its output is closed. */

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const FULL_DISK = '/dev/full';

const COMMANDS = [
  { closed: 'stdout', other: 'stderr', args: ['help', 'run'] },
  { closed: 'stdout', other: 'stderr', args: ['diagram', 'graphs/refund-triage.json'] },
  { closed: 'stderr', other: 'stdout', args: ['no-command'] },
] as const;

/** @returns the write end of a pipe whose read end is closed */
async function openPipeWithoutReader(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-pipe-'));
  const path = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [path]);
  // Opened without blocking, because the write end opens only when there is a reader.
  const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = await open(path, constants.O_WRONLY);
  await reader.close();
  await rm(folder, { recursive: true });
  return writer;
}

describe('a command', () => {
  test.each(COMMANDS)(
    'the command $args.0 exits silently when its $closed is closed',
    { timeout: 60_000 },
    async ({ closed, other, args }) => {
      const pipe = await openPipeWithoutReader();
      const outputs = { stdout: 'pipe', stderr: 'pipe', [closed]: pipe.fd } as const;
      const child = spawn(process.execPath, ['bin/holdfast.js', ...args], {
        cwd: PROJECT,
        stdio: ['ignore', outputs.stdout, outputs.stderr],
      });
      const ended = once(child, 'exit');
      await pipe.close();
      const said = child[other] && (await text(child[other]));
      expect(said).toBe('');
      expect(await ended).toEqual([141, null]);
    },
  );

  test.runIf(process.platform === 'linux')(
    'a command that writes to a full disk reports the error',
    { timeout: 60_000 },
    async () => {
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
    },
  );
});
