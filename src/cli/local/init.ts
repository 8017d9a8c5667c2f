import { mkdir, readdir, stat, writeFile, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { didYouMean } from '../../graph/values/index.ts';
import { EXIT, UsageError, defineCommand, switchFlag, textFlag, textFlagOr, oneOperand } from '../line/command.ts';

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
  flags: {
    template: textFlagOr('refund', 'NAME', 'what the project begins with'),
    from: textFlag(
      'TARBALL',
      'the package that the project depends on, as "npm pack" writes it (default: the published one)',
    ),
    json: switchFlag('prints the folder, its files and the next commands as JSON'),
  },
  exits: { 0: 'made', 2: 'wrong usage, or the folder is not empty' },
  async action({ values, given: folder }, { stdout }) {
    const template = findTemplate(values.template);
    const tarball = values.from === undefined ? null : await requireTarball(values.from);
    await requireEmpty(folder);
    const engine = tarball === null ? null : `file:${relative(resolve(folder), tarball)}`;
    const files = await readProjectFiles({ name: projectName(folder), engine }, template);
    await writeProject(folder, files);
    const made = { folder, files: Object.keys(files), next: nextCommands(folder), tries: template.tries };
    stdout.write(values.json ? `${JSON.stringify(made, null, 2)}\n` : describeNewProject(made));
    return EXIT.done;
  },
});

function findTemplate(name: string): ProjectTemplate {
  const found = TEMPLATES.find((template) => template.name === name);
  if (found) return found;
  const names = TEMPLATES.map((template) => template.name);
  throw new UsageError(`There is no template "${name}".${didYouMean(name, names)} There are ${names.join(', ')}`);
}

/** @returns the absolute path. @throws UsageError for anything but a package that exists */
async function requireTarball(file: string): Promise<string> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() === true && /\.(?:tgz|tar\.gz)$/.test(file)) return resolve(file);
  throw new UsageError(
    `--from takes the file of a package, as "npm pack" writes it (holdfast-0.1.0.tgz); "${file}" is none`,
  );
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

function nextCommands(folder: string): readonly string[] {
  return [`cd ${folder}`, 'npm install', 'npm test', 'npx holdfast dev'];
}

/** A project that has been made. */
interface NewProject {
  readonly folder: string;
  readonly files: readonly string[];
  /** Commands to type next. */
  readonly next: readonly string[];
  /** Commands for another terminal, while the last one of `next` runs. */
  readonly tries: readonly string[];
}

function describeNewProject({ folder, files, next, tries }: NewProject): string {
  const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}\n`).join('');
  return `Made ${folder}:
${indented(files)}
Next:
${indented(next)}
In another terminal:
${indented(tries)}`;
}

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));

/** The files of a new project, by their paths in it. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** What the package.json of a new project says. */
interface ProjectPackage {
  readonly name: string;
  /** Where npm finds this package; `null` for the registry. */
  readonly engine: string | null;
}

async function readProjectFiles(project: ProjectPackage, { name }: ProjectTemplate): Promise<ProjectFiles> {
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
async function packageJsonOf({ name, engine }: ProjectPackage): Promise<string> {
  const { version, dependencies, devDependencies } = PackageSchema.parse(
    JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')),
  );
  const pick = (versions: z.output<typeof VersionsSchema>, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `^${versions[name]}`]));
  const content = {
    name,
    private: true,
    type: 'module',
    scripts: { dev: 'holdfast dev', test: 'vitest run', check: 'tsc' },
    dependencies: { holdfast: engine ?? `^${version}`, ...pick(dependencies, ['zod']) },
    devDependencies: {
      ...pick(devDependencies, ['@electric-sql/pglite', '@types/node']),
      ...pick(dependencies, ['tsx']),
      ...pick(devDependencies, ['typescript', 'vitest']),
    },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
