import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../../src/cli/main.ts';

/** The output and the exit code of a command. */
export interface CommandOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `holdfast` with arguments in this process, without access to a local stack. */
export async function holdfast(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutput> {
  const said = { stdout: '', stderr: '' };
  const code = await main(args, {
    env: { HOLDFAST_TOKENS_FILE: '/nowhere/tokens.json', ...env },
    interrupted: () => new AbortController().signal,
    continueWhenUnread: () => undefined,
    stdout: { write: (text) => void (said.stdout += text) },
    stderr: { write: (text) => void (said.stderr += text) },
  });
  return { code, ...said };
}

/** A folder with files for a test. */
export interface Folder {
  /** @returns the file's path */
  write(name: string, content: unknown): Promise<string>;
  path(name: string): string;
  remove(): Promise<void>;
}

export async function createFolder(): Promise<Folder> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    async write(name, content) {
      await writeFile(path(name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
      return path(name);
    },
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}
