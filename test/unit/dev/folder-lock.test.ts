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

test('a data folder is locked by one process until its lock is released', () => {
  const release = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(
    `${folder} is in use by process ${process.pid}; stop it, or give another --data-dir`,
  );
  release();
  expect(existsSync(lock())).toBe(false);
  lockFolder(folder)();
});

test.each([
  ['has ended', '4194305 a-boot 1'],
  ['has ended and whose process id was reused', `${process.ppid} another-boot 1`],
  ['has written no process id', ''],
])('the folder lock of a process that %s is replaced', (_, left) => {
  writeFileSync(lock(), left);
  const release = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(`in use by process ${process.pid}`);
  release();
});

test('the folder lock of a process is kept when its process id may still belong to it', () => {
  writeFileSync(lock(), String(process.ppid));
  expect(() => lockFolder(folder)).toThrow(`in use by process ${process.ppid}`);
});

test('a data folder that is not writable is not reported as in use', () => {
  rmSync(folder, { recursive: true });
  expect(() => lockFolder(folder)).toThrow('ENOENT');
});
