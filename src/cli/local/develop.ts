import { join, relative, resolve, sep, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watch } from 'chokidar';
import type { Client } from '../../client/index.ts';
import { forgetModules } from '../../config/modules/fresh-modules.ts';
import { graphFiles } from '../../config/modules/import-graph.ts';
import type { Stack } from '../../dev/stack.ts';
import { messageOf, errorChain } from '../../graph/values/index.ts';
import { describePublication, publishFile } from '../graphs/definitions.ts';

interface ProjectWatch {
  readonly stack: Pick<Stack, 'graphs' | 'reload'>;
  readonly client: Client;
  /** The folder of the project. */
  readonly root: string;
  /** The folder of the stack's state. */
  readonly dataDir: string;
  readonly say: (line: string) => void;
}

/**
 * Publishes the graphs of a project and watches its files: changed definitions are published again; any other change
 * makes the stack reload its code. Problems are printed, and the previous version stays in use.
 * @returns a function that stops it
 */
export async function watchProject({ stack, client, root, dataDir, say }: ProjectWatch): Promise<() => Promise<void>> {
  const faulty = new Set<string>();
  let isFirst = true;
  const publishAll = async (): Promise<void> => {
    const folder = stack.graphs();
    const files = folder === null ? [] : await graphFiles(folder).catch(() => []);
    const unchanged: string[] = [];
    for (const file of files) {
      const result = await publishFile(client, relative(process.cwd(), file)).catch((error: unknown) => ({
        problem: `${messageOf(error)}\n`,
      }));
      if ('problem' in result) {
        faulty.add(file);
        say(result.problem.trimEnd());
        continue;
      }
      const isMended = faulty.delete(file);
      const { name, version, outcome } = result.graph;
      const again = outcome === 'restored' ? ' again' : '';
      if (outcome !== 'unchanged') say(`published ${name}, version ${version}${again} (${relative(root, file)})`);
      else if (isMended) say(`${relative(root, file)} is valid again: ${describePublication(result.graph)}`);
      else unchanged.push(`${name}@${version}`);
    }
    if (isFirst && unchanged.length > 0) say(`unchanged: ${unchanged.join(', ')}`);
    isFirst = false;
  };
  const changed = async (files: readonly string[]): Promise<void> => {
    const began = performance.now();
    forgetModules();
    const names = files.map((file) => relative(root, file)).join(', ');
    if (files.some((file) => !isInsideFolder(file, stack.graphs()))) {
      try {
        await stack.reload();
        say(`reloaded in ${Math.round(performance.now() - began)} ms (${names})`);
      } catch (error) {
        say(`not reloaded, the code of before goes on: ${messageOf(error)}${whereThrown(error)}`);
        return;
      }
    }
    await publishAll();
  };
  // Changes that occur before the first publication are handled, too.
  const without = [resolve(dataDir), join(root, 'dist')];
  const failed = (problem: string): void => say(`not all files are watched: ${problem}`);
  const isGraph = (file: string): boolean => isInsideFolder(file, stack.graphs());
  const stop = await watchFiles({ root, without, isGraph, changed, failed });
  await publishAll();
  return stop;
}

function isInsideFolder(file: string, folder: string | null): boolean {
  return folder !== null && file.startsWith(`${folder}${sep}`);
}

/** A watched folder. */
interface WatchedFolder {
  readonly root: string;
  /** Folders to ignore, in addition to packages and hidden folders. */
  readonly without: readonly string[];
  /** True for a file that may be a graph. Any other new JSON file counts as output, such as a file saved by curl. */
  readonly isGraph: (path: string) => boolean;
  /** Receives the changed files; it is not called again before it has ended. */
  readonly changed: (files: readonly string[]) => Promise<void>;
  /** Receives the reason why a file can't be watched, such as a system limit; other files are still watched. */
  readonly failed: (problem: string) => void;
}

/** Changes within this time are reported together. */
const TOGETHER_MS = 50;

/**
 * Reports changes of modules and JSON files, except of JSON that other programs write. Resolves when it watches.
 * @returns a function that stops it
 */
export async function watchFiles({
  root,
  without,
  isGraph,
  changed,
  failed,
}: WatchedFolder): Promise<() => Promise<void>> {
  const waiting = new Set<string>();
  const outputs = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  const report = (): void => {
    last = last.then(async () => {
      const files = [...waiting];
      waiting.clear();
      if (files.length > 0) await changed(files);
    });
  };
  const watcher = watch(root, { ignored: (path) => isLeftOut(path, root, without), ignoreInitial: true });
  watcher.on('all', (event, path) => {
    if (event.endsWith('Dir') || !WATCHED.has(extname(path))) return;
    if (event === 'add' && extname(path) === '.json' && !isGraph(path)) outputs.add(path);
    if (outputs.has(path)) return;
    waiting.add(path);
    clearTimeout(timer);
    timer = setTimeout(report, TOGETHER_MS);
  });
  watcher.on('error', (error) => failed(messageOf(error)));
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return async () => {
    clearTimeout(timer);
    await watcher.close();
    await last;
  };
}

const WATCHED: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']);

function isLeftOut(path: string, root: string, without: readonly string[]): boolean {
  if (without.some((folder) => path === folder || path.startsWith(`${folder}${sep}`))) return true;
  return relative(root, path)
    .split(sep)
    .some((part) => part === 'node_modules' || (part.startsWith('.') && part !== '..'));
}

/**
 * The location in the project's own code where an error was thrown, such as ` (/app/tools/pay.ts:3:9)`; empty if
 * unknown.
 */
export function whereThrown(error: unknown): string {
  const frames = errorChain(error)
    .toReversed()
    .flatMap(({ stack = '' }) => stack.split('\n').flatMap((line) => locationInStackLine(line) ?? []));
  const frame = frames.find(({ file }) => !file.includes('/node_modules/') && !file.startsWith(ENGINE_FOLDER));
  return frame ? ` (${frame.file}${frame.position})` : '';
}

const ENGINE_FOLDER = fileURLToPath(new URL('../../', import.meta.url));

/** A line of a stack trace. The URL of a reloaded module ends with its generation. */
const STACK_FRAME_PATTERN = /^\s+at (?:.*\()?(?<file>(?:file:\/\/)?\/[^()?]*?)(?:\?[^:()]*)?(?<position>:\d+:\d+)\)?$/;

function locationInStackLine(line: string): { readonly file: string; readonly position: string } | null {
  const { file, position } = STACK_FRAME_PATTERN.exec(line)?.groups ?? {};
  if (file === undefined || position === undefined) return null;
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, position };
}
