import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchFiles } from '../../../../src/cli/local/watch-files.ts';
import { createFolder } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(async () => await folder.remove());

const fail = (problem: string): never => {
  throw new Error(problem);
};

const taken = ['graphs/refund.json', 'prices.json', 'run.json', 'tools/pay.ts'];

test('changes of modules and JSON files are reported together by the watcher, and changes of other files are not', async () => {
  for (const name of ['node_modules', '.git', 'data', 'tools', 'graphs']) await mkdir(folder.path(name));
  const reports: string[][] = [];
  const changed = async (files: readonly string[]): Promise<void> => void reports.push(files.toSorted());
  await folder.write('prices.json', '1');
  const without = [folder.path('data')];
  const watcher = watchFiles({ root: folder.path(''), without, changed, failed: fail });
  await watcher.ready;
  const left = ['node_modules/a.ts', '.git/b.json', 'data/c.json', 'notes.md'];
  await Promise.all([...left, ...taken].map(async (name) => await folder.write(name, '22')));
  // A file that is written slowly is reported twice.
  const reported = (): readonly string[] => [...new Set(reports.flat())].toSorted();
  await expect.poll(() => reported().length).toBe(taken.length);
  await watcher.close();
  expect(reported()).toEqual(taken.map((name) => folder.path(name)));
});

test('a file outside the folder is watched once it is added', async () => {
  const other = await createFolder();
  const reports: string[] = [];
  const changed = async (files: readonly string[]): Promise<void> => void reports.push(...files);
  const watcher = watchFiles({ root: folder.path(''), without: [], changed, failed: fail });
  await watcher.ready;
  const file = await other.write('shared.ts', '1');
  watcher.add([file]);
  await expect
    .poll(async () => {
      await other.write('shared.ts', `${Date.now()}`);
      return reports.includes(file);
    })
    .toBe(true);
  await watcher.close();
  await other.remove();
});
