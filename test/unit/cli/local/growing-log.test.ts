import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { followLog, openGrowingLog } from '../../../../src/cli/local/logs.ts';
import type { GrowingLog } from '../../../../src/cli/local/logs.ts';

let folder: string;
let file: string;
let log: GrowingLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-log-'));
  file = join(folder, 'a.log');
  await writeFile(file, 'one\ntwo\nhalf');
  log = await openGrowingLog(file);
});
afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a log that grows', () => {
  test('returns each line once, when it is complete', async () => {
    expect(await log.read()).toEqual(['one', 'two']);
    await appendFile(file, ' a line\nno');
    expect(await log.read()).toEqual(['half a line']);
    expect(await log.read()).toEqual([]);
  });

  test('keeps characters intact that are written in two parts', async () => {
    const [before, after] = [Buffer.from(' é\n').subarray(0, 2), Buffer.from(' é\n').subarray(2)];
    await log.read();
    await appendFile(file, before);
    await log.read();
    await appendFile(file, after);
    expect(await log.read()).toEqual(['half é']);
  });

  test('is read from its beginning after it was truncated', async () => {
    await log.read();
    await truncate(file);
    await appendFile(file, 'new\n');
    expect(await log.read()).toEqual(['new']);
  });

  test('continues in the file that replaces it, and omits no line of the old one', async () => {
    await log.read();
    await appendFile(file, ' a line\n');
    await rename(file, join(folder, 'a.log.1'));
    expect(await log.read()).toEqual(['half a line']);
    await writeFile(file, 'new\n');
    expect(await log.read()).toEqual(['new']);
  });
});

describe('the command that follows a log', () => {
  const follow = () => {
    const lines: string[] = [];
    const ending = new AbortController();
    const ended = followLog(log, (more) => void lines.push(...more), ending.signal);
    return { lines, end: () => ending.abort(), ended };
  };

  test('prints added lines, also of a file that replaces it, until it is stopped', async () => {
    const { lines, end, ended } = follow();
    await expect.poll(() => lines).toEqual(['one', 'two']);
    await appendFile(file, ' a line\n');
    await expect.poll(() => lines.at(-1)).toBe('half a line');
    await rename(file, join(folder, 'a.log.1'));
    await writeFile(file, 'new\n');
    await expect.poll(() => lines.at(-1)).toBe('new');
    await truncate(file);
    await appendFile(file, 'x\n');
    await expect.poll(() => lines.at(-1)).toBe('x');
    end();
    await ended;
    expect(lines).toEqual(['one', 'two', 'half a line', 'new', 'x']);
  }, 20_000);

  test('fails when the log becomes unreadable', async () => {
    const { ended } = follow();
    await Promise.all([expect(ended).rejects.toThrow(/closed|EBADF/), log.close()]);
    log = await openGrowingLog(file);
  });
});
