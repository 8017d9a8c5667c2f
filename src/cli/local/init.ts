import { mkdir, readdir, writeFile, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { didYouMean } from '../../graph/values/index.ts';
import { EXIT, UsageError, defineCommand, textFlagOr, oneOperand } from '../line/command.ts';

/** A template for new projects. */
export interface ProjectTemplate {
  /** Its folder below `templates`. */
  readonly name: string;
  readonly summary: string;
  /** Commands for first steps in the project. */
  readonly tries: readonly string[];
}

const TEMPLATES: readonly ProjectTemplate[] = [
  {
    name: 'refund',
    summary: 'a refund that a person approves when it is large',
    tries: [
      `npx holdfast run graphs/refund.ts --input '{ "order": "A-1002", "euros": 300 }'`,
      'npx holdfast approvals',
    ],
  },
  {
    name: 'blank',
    summary: 'one tool, one node',
    tries: [`npx holdfast run graphs/greeting.ts --input '{ "name": "Ann" }'`],
  },
  {
    name: 'chat',
    summary: 'an agent with two tools, a memory, and trips that a person approves',
    tries: ['npx tsx say.ts "How is the weather in Rome?"'],
  },
];

export const initCommand = defineCommand({
  name: 'init',
  summary: 'make a new project',
  operands: oneOperand('DIR', 'one folder'),
  about: `Makes a project in a new or empty folder: a configuration, a graph in TypeScript, tools, tests that need no
    server, and an AGENTS.md. Templates: ${TEMPLATES.map(({ name, summary }) => `${name} (${summary})`).join('; ')}.`,
  flags: { template: textFlagOr('refund', 'NAME', 'what the project begins with') },
  exits: { 0: 'made', 2: 'wrong usage, or the folder is not empty' },
  async action({ values, given: folder }, { stdout }) {
    const template = findTemplate(values.template);
    await requireEmpty(folder);
    const files = await readProjectFiles(projectName(folder), template);
    await writeProject(folder, files);
    stdout.write(describeNewProject(folder, files, template));
    return EXIT.done;
  },
});

function findTemplate(name: string): ProjectTemplate {
  const found = TEMPLATES.find((template) => template.name === name);
  if (found) return found;
  const names = TEMPLATES.map((template) => template.name);
  throw new UsageError(`There is no template "${name}".${didYouMean(name, names)} There are ${names.join(', ')}`);
}

/** @throws UsageError for a file, and for a folder that contains more than a repository */
async function requireEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new UsageError(`${folder} is no folder`, { cause: error });
  });
  const other = entries.find((entry) => entry !== '.git');
  if (other !== undefined) throw new UsageError(`${folder} is not empty: ${other} is there. Name a new folder`);
}

/** Converts the name of a folder to a valid package name. */
function projectName(folder: string): string {
  const name = basename(resolve(folder)).toLowerCase();
  return name.replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '') || 'project';
}

async function writeProject(folder: string, files: ProjectFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
}

function describeNewProject(folder: string, files: ProjectFiles, { tries }: ProjectTemplate): string {
  const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}\n`).join('');
  return `Made ${folder}:
${indented(Object.keys(files))}
Next:
${indented([`cd ${folder}`, 'npm install', 'npm test', 'npx holdfast dev'])}
In another terminal:
${indented(tries)}`;
}

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));

/** The files of a new project, by their paths in it. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** @param project the name of the project */
async function readProjectFiles(project: string, { name }: ProjectTemplate): Promise<ProjectFiles> {
  const folders = ['shared', name].map((folder) => join(PACKAGE, 'templates', folder));
  const copied = (await Promise.all(folders.map(readTemplateFolder))).flat();
  const made = { 'package.json': await packageJsonOf(project), '.gitignore': IGNORED, '.dockerignore': IGNORED };
  const files = Object.entries({ ...Object.fromEntries(copied), ...made });
  return Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Files that are regenerated, and files with keys, tokens and run data. */
const IGNORED = 'node_modules/\n.holdfast/\n.env\n';

async function readTemplateFolder(folder: string): Promise<readonly (readonly [path: string, text: string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return await Promise.all(files.map(async (file) => [relative(folder, file), await readFile(file, 'utf8')] as const));
}

const VersionsSchema = z.record(z.string(), z.string());
const PackageSchema = z.object({ version: z.string(), dependencies: VersionsSchema, devDependencies: VersionsSchema });

/** The package.json of a project, with the versions that this package is tested with. */
async function packageJsonOf(project: string): Promise<string> {
  const { version, dependencies, devDependencies } = PackageSchema.parse(
    JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')),
  );
  const pick = (versions: z.output<typeof VersionsSchema>, names: readonly string[]) =>
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
