import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolder } from '../../../src/dev/data-folder.ts';

let folder: string;
const lock = (): string => join(folder, 'lock');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a data folder is locked until its lock is released', () => {
  const release = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(
    `${folder} is in use by process ${process.pid}; stop it, or give another --data-dir`,
  );
  release();
  expect(existsSync(lock())).toBe(false);
  lockFolder(folder)();
});

test.each([
  ['is gone', '4194305 a-boot 1'],
  ['has left its number to another process', `${process.ppid} another-boot 1`],
  ['wrote nothing', ''],
])('the lock of a process that %s is replaced', (_, left) => {
  writeFileSync(lock(), left);
  const release = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(`in use by process ${process.pid}`);
  release();
});

test('the lock of a process is kept when its number may still belong to it', () => {
  writeFileSync(lock(), String(process.ppid));
  expect(() => lockFolder(folder)).toThrow(`in use by process ${process.ppid}`);
});

test('a folder that is not writable is not reported as in use', () => {
  rmSync(folder, { recursive: true });
  expect(() => lockFolder(folder)).toThrow('ENOENT');
});
