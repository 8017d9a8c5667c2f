import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Client } from '../../client/index.ts';
import { forgetModules, importedFiles } from '../../config/modules/project-modules.ts';
import type { Stack } from '../../dev/stack.ts';
import { messageOf } from '../../graph/values/index.ts';
import { createPublisher } from './publish-graphs.ts';
import { formatSeconds } from '../output/times.ts';
import { watchFiles } from './watch-files.ts';
import { whereThrown } from './where-thrown.ts';

interface ProjectWatch {
  readonly stack: Pick<Stack, 'graphs' | 'reload'>;
  readonly client: Client;
  /** The file of the configuration; its folder is the project. */
  readonly config: string;
  /** The folder of the stack's state. */
  readonly dataDir: string;
  readonly say: (line: string) => void;
}

/**
 * Publishes the graphs of a project and watches its files. A changed graph, or a module that it imports, makes the
 * graphs be published again; a module that the configuration imports makes the stack reload its code. Other files have no
 * effect, unless the last change could not be used: then any module may mend it. Each problem is printed once, and the
 * previous version stays in use.
 * @returns a function that stops it
 */
export async function watchProject({
  stack,
  client,
  config,
  dataDir,
  say,
}: ProjectWatch): Promise<() => Promise<void>> {
  const entry = await realpath(config);
  const root = dirname(entry);
  const publisher = createPublisher({ client, root, say });
  const reload = createReload({ stack, root, say });
  const isEdited = createEditCheck();
  let code: ReadonlySet<string> = new Set([entry]);
  const lookAtImports = async (): Promise<void> => {
    code = new Set([...(reload.isFaulty() ? code : []), ...(await importedFiles(entry))]);
    watcher.add([...code, ...publisher.imported()].filter((file) => relative(root, file).startsWith('..')));
  };
  const publishAll = async (edited: readonly string[]): Promise<void> => {
    await publisher.publish(stack.graphs(), edited);
    await lookAtImports();
  };
  const changed = async (files: readonly string[]): Promise<void> => {
    const edited = (await Promise.all(files.map(async (file) => ((await isEdited(file)) ? [file] : [])))).flat();
    const graphs = await graphsFolder(stack);
    const isGraph = (file: string): boolean => isInsideFolder(file, graphs);
    const ofCode = edited.filter((file) => code.has(file) || (reload.isFaulty() && !isGraph(file)));
    const touchesGraphs = edited.some(
      (file) => isGraph(file) || publisher.imported().has(file) || publisher.isFaulty(),
    );
    if (ofCode.length === 0 && !touchesGraphs) return;
    await forgetModules();
    if (ofCode.length > 0 && !(await reload.run(ofCode, code))) await lookAtImports();
    else await publishAll(edited);
  };
  // Changes that occur before the first publication are handled, too.
  const watcher = watchFiles({
    root,
    without: [await realpath(dataDir).catch(() => resolve(dataDir)), join(root, 'dist')],
    changed,
    failed: once((problem) => say(`not all files are watched: ${problem}`)),
  });
  await watcher.ready;
  await publishAll([]);
  return async () => await watcher.close();
}

interface Reload {
  /**
   * Reloads the code of the stack, and prints how that went; the same problem again only if an edited file is among the
   * code.
   * @returns false if the previous code stays in use
   */
  run(edited: readonly string[], code: ReadonlySet<string>): Promise<boolean>;
  /** True if the last reload has failed. */
  isFaulty(): boolean;
}

function createReload({ stack, root, say }: Pick<ProjectWatch, 'stack' | 'say'> & { readonly root: string }): Reload {
  let fault: string | null = null;
  return {
    isFaulty: () => fault !== null,
    async run(edited, code) {
      const began = performance.now();
      const names = edited.map((file) => relative(root, file)).join(', ');
      try {
        await stack.reload();
      } catch (error) {
        const found = `${messageOf(error)}${whereThrown(error)}`;
        if (found !== fault) say(`not reloaded, the code of before goes on: ${found}`);
        else if (edited.some((file) => code.has(file))) say(`still not reloaded, for the same reason (${names})`);
        fault = found;
        return false;
      }
      fault = null;
      say(`reloaded in ${formatSeconds(performance.now() - began)} (${names})`);
      return true;
    },
  };
}

/** Returns a function that is false for a file whose content it has seen: editors may write one twice. */
function createEditCheck(): (file: string) => Promise<boolean> {
  const contents = new Map<string, string | null>();
  return async (file) => {
    const content = await readFile(file, 'utf8').catch(() => null);
    const isSame = contents.has(file) && contents.get(file) === content;
    contents.set(file, content);
    return !isSame;
  };
}

async function graphsFolder({ graphs }: ProjectWatch['stack']): Promise<string | null> {
  const folder = graphs();
  return folder === null ? null : await realpath(folder).catch(() => folder);
}

function isInsideFolder(file: string, folder: string | null): boolean {
  return folder !== null && file.startsWith(`${folder}${sep}`);
}

/** Returns a function that passes each text on once. */
function once(say: (text: string) => void): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (!said.has(text)) say(text);
    said.add(text);
  };
}
