import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Template } from './templates.ts';

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));

/** The files of a new project, by their paths in it. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** @param project the name of the project */
export async function readProjectFiles(project: string, { name }: Template): Promise<ProjectFiles> {
  const folders = ['shared', name].map((folder) => join(PACKAGE, 'templates', folder));
  const copied = (await Promise.all(folders.map(readFolder))).flat();
  const made = { 'package.json': await packageOf(project), '.gitignore': IGNORED, '.dockerignore': IGNORED };
  const files = Object.entries({ ...Object.fromEntries(copied), ...made });
  return Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What is made anew, and what holds keys, tokens and the data of runs. */
const IGNORED = 'node_modules/\n.holdfast/\n.env\n';

async function readFolder(folder: string): Promise<readonly (readonly [path: string, text: string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return await Promise.all(files.map(async (file) => [relative(folder, file), await readFile(file, 'utf8')] as const));
}

const Versions = z.record(z.string(), z.string());
const Package = z.object({ version: z.string(), dependencies: Versions, devDependencies: Versions });

/** The package of a project, with the versions that this package is tested with. */
async function packageOf(project: string): Promise<string> {
  const { version, dependencies, devDependencies } = Package.parse(
    JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')),
  );
  const pick = (versions: z.output<typeof Versions>, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `^${versions[name]}`]));
  const content = {
    name: project,
    private: true,
    type: 'module',
    scripts: { dev: 'holdfast dev', test: 'vitest run', check: 'tsc' },
    dependencies: { holdfast: `^${version}`, ...pick(dependencies, ['zod']) },
    devDependencies: {
      ...pick(devDependencies, ['@electric-sql/pglite', '@types/node']),
      ...pick(dependencies, ['tsx']),
      ...pick(devDependencies, ['typescript', 'vitest']),
    },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
