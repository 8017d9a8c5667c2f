import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchFiles } from '../../../../src/cli/local/develop.ts';
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

const taken = ['graphs/refund.json', 'prices.json', 'tools/pay.ts'];

test('changes of modules and JSON files are reported together by the watcher, and changes of other files are not', async () => {
  for (const name of ['node_modules', '.git', 'data', 'tools', 'graphs']) await mkdir(folder.path(name));
  const reports: string[][] = [];
  const changed = async (files: readonly string[]): Promise<void> => void reports.push(files.toSorted());
  const isGraph = (path: string): boolean => path.startsWith(folder.path('graphs'));
  await folder.write('prices.json', '1');
  const without = [folder.path('data')];
  const stop = await watchFiles({ root: folder.path(''), without, isGraph, changed, failed: fail });
  const left = ['node_modules/a.ts', '.git/b.json', 'data/c.json', 'notes.md', 'run.json'];
  await Promise.all([...left, ...taken].map(async (name) => await folder.write(name, '22')));
  // A file that is written slowly is reported twice.
  const reported = (): readonly string[] => [...new Set(reports.flat())].toSorted();
  await expect.poll(() => reported().length).toBe(taken.length);
  await folder.write('run.json', '333');
  await stop();
  expect(reported()).toEqual(taken.map((name) => folder.path(name)));
});
