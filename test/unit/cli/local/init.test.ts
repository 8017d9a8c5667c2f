import { mkdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(async () => await folder.remove());

const readIn = async (project: string, file: string): Promise<string> =>
  await readFile(`${folder.path(project)}/${file}`, 'utf8');

describe.each(['refund', 'blank', 'chat'])('the template %s', (template) => {
  test('`init` makes a project whose graphs are valid for its configuration', async () => {
    const project = folder.path(`my-${template}`);
    const { code, stdout } = await holdfast(['init', project, '--template', template]);
    expect(code).toBe(0);
    const [graph = ''] = /graphs\/\S+\.ts/.exec(stdout) ?? [];
    const valid = await holdfast([
      'validate',
      `templates/${template}/${graph}`,
      '--config',
      `templates/${template}/holdfast.config.ts`,
    ]);
    expect(valid).toMatchObject({ code: 0, stdout: '1 file: 0 errors, 0 warnings\n' });
    for (const file of ['AGENTS.md', 'holdfast.config.ts', 'package.json', 'tsconfig.json', '.gitignore'])
      expect(stdout).toContain(`\n  ${file}\n`);
  });
});

test('`init` makes a project with the name of its folder and the versions of this package', async () => {
  await holdfast(['init', folder.path('My Shop')]);
  expect(JSON.parse(await readIn('My Shop', 'package.json'))).toMatchObject({
    name: 'my-shop',
    dependencies: { holdfast: expect.stringMatching(/^\^\d/), zod: expect.stringMatching(/^\^4/) },
    devDependencies: { vitest: expect.stringMatching(/^\^\d/) },
  });
});

test('`init --from` makes a project that depends on a package file', async () => {
  const tarball = await folder.write('holdfast-0.1.0.tgz', 'packed');
  const { code, stdout } = await holdfast(['init', folder.path('apps/own'), '--from', tarball, '--json']);
  expect({ code, made: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    made: { folder: folder.path('apps/own'), files: expect.arrayContaining(['package.json']) },
  });
  expect(JSON.parse(await readIn('apps/own', 'package.json'))).toMatchObject({
    dependencies: { holdfast: 'file:../../holdfast-0.1.0.tgz', zod: expect.stringMatching(/^\^4/) },
  });
});

test('`init` refuses a folder that is not empty, and leaves it unchanged', async () => {
  await mkdir(folder.path('full'));
  await folder.write('full/mine.txt', 'mine');
  const { code, stderr } = await holdfast(['init', folder.path('full')]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is not empty: mine.txt is there') });
  await expect(readIn('full', 'package.json')).rejects.toThrow(/ENOENT/);
});

test.each([
  [['x', '--template', 'refnd'], 'There is no template "refnd". Did you mean "refund"?'],
  [['x', '--from', 'missing.tgz'], '--from takes the file of a package'],
  [['x', '--from', 'package.json'], '--from takes the file of a package'],
  [[], 'init takes one folder'],
])('`init` refuses the arguments %j as wrong usage', async (args, message) => {
  const { code, stderr } = await holdfast(['init', ...args]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});
