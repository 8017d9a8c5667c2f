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

test('changes of modules and JSON are reported, together, and no other ones', async () => {
  for (const name of ['node_modules', '.git', 'data', 'tools']) await mkdir(folder.path(name));
  const reports: string[][] = [];
  const changed = async (files: readonly string[]): Promise<void> => void reports.push(files.toSorted());
  const stop = await watchFiles({ root: folder.path(''), without: [folder.path('data')], changed, failed: fail });
  const names = ['node_modules/a.ts', '.git/b.json', 'data/c.json', 'notes.md', 'tools/pay.ts', 'graph.json'];
  await Promise.all(names.map(async (name) => await folder.write(name, '1')));
  await expect.poll(() => reports.flat().length).toBe(2);
  await stop();
  expect(reports.flat()).toEqual(['graph.json', 'tools/pay.ts'].map((name) => folder.path(name)));
});
