import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { holdfast } from './command-line.ts';
import type { CommandOutput } from './command-line.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A project that `holdfast dev` runs in a separate process. */
export interface DevelopedProject {
  path(name: string): string;
  /** Replaces a text in a file, like a person who edits it. */
  edit(name: string, from: string, to: string): Promise<void>;
  /** Waits for a line after the previously awaited one. */
  untilLine(line: RegExp): Promise<string>;
  /** All lines so far. */
  linesSoFar(): readonly string[];
  /** Runs `holdfast` in the project like a person. */
  holdfast(...args: readonly string[]): Promise<CommandOutput>;
  stop(): Promise<void>;
}

/** Creates a project from a template, and starts it with the code of this repository. */
export async function developProject(template: string): Promise<DevelopedProject> {
  const root = await mkdtemp(join(tmpdir(), 'holdfast-dev-'));
  const folder = join(root, 'project');
  await holdfast(['init', folder, '--template', template]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const project = startDev(folder, ROOT);
  return {
    ...project,
    async stop() {
      await project.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Starts `holdfast dev` in the folder of a project. @param code the folder of the package */
export function startDev(folder: string, code: string): DevelopedProject {
  const ports = ['--port', '0', '--temporal-port', '0', '--ui-port', '0'];
  const child = spawn(process.execPath, [join(code, 'bin/holdfast.js'), 'dev', ...ports], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const linesSoFar: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => linesSoFar.push(line));
  const lines = output[Symbol.asyncIterator]();
  const path = (name: string): string => join(folder, name);
  return {
    path,
    async edit(name, from, to) {
      const before = await readFile(path(name), 'utf8');
      if (!before.includes(from)) throw new Error(`${name} has no ${from}`);
      await writeFile(path(name), before.replace(from, to));
    },
    async untilLine(wanted) {
      const said: string[] = [];
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
        if (wanted.test(line.value)) return line.value;
        said.push(line.value);
      }
      throw new Error(`It ended without ${wanted}:\n${said.join('\n')}`);
    },
    linesSoFar: () => linesSoFar,
    holdfast: async (...args) => await holdfast(args, { HOLDFAST_TOKENS_FILE: path('.holdfast/tokens.json') }),
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}
