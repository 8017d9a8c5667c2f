import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { didYouMean } from '../../graph/values/index.ts';
import { EXIT, UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { textOr } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';
import { readProjectFiles } from './project-files.ts';
import type { ProjectFiles } from './project-files.ts';
import { TEMPLATES } from './templates.ts';
import type { Template } from './templates.ts';

export const init = defineCommand({
  name: 'init',
  summary: 'make a new project',
  operands: oneOperand('DIR', 'one folder'),
  about: `Makes a project in a new or empty folder: a configuration, a graph in TypeScript, tools, tests that need no
    server, and an AGENTS.md. Templates: ${TEMPLATES.map(({ name, summary }) => `${name} (${summary})`).join('; ')}.`,
  flags: { template: textOr('refund', 'NAME', 'what the project begins with') },
  exits: { 0: 'made', 2: 'wrong usage, or the folder is not empty' },
  async action({ values, given: folder }, { stdout }) {
    const template = findTemplate(values.template);
    await requireEmpty(folder);
    const files = await readProjectFiles(projectName(folder), template);
    await write(folder, files);
    stdout.write(describe(folder, files, template));
    return EXIT.done;
  },
});

function findTemplate(name: string): Template {
  const found = TEMPLATES.find((template) => template.name === name);
  if (found) return found;
  const names = TEMPLATES.map((template) => template.name);
  throw new UsageError(`There is no template "${name}".${didYouMean(name, names)} There are ${names.join(', ')}`);
}

/** @throws UsageError for a file, and for a folder with more than a repository in it */
async function requireEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new UsageError(`${folder} is no folder`, { cause: error });
  });
  const other = entries.find((entry) => entry !== '.git');
  if (other !== undefined) throw new UsageError(`${folder} is not empty: ${other} is there. Name a new folder`);
}

/** A name that a package may have. */
function projectName(folder: string): string {
  const name = basename(resolve(folder)).toLowerCase();
  return name.replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '') || 'project';
}

async function write(folder: string, files: ProjectFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
}

function describe(folder: string, files: ProjectFiles, { tries }: Template): string {
  const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}\n`).join('');
  return `Made ${folder}:
${indented(Object.keys(files))}
Next:
${indented([`cd ${folder}`, 'npm install', 'npm test', 'npx holdfast dev'])}
In another terminal:
${indented(tries)}`;
}
