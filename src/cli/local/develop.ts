import { join, relative, resolve, sep } from 'node:path';
import type { Client } from '../../client/index.ts';
import { forgetModules } from '../../config/modules/fresh-modules.ts';
import { graphFiles } from '../../config/modules/graph-files.ts';
import type { Stack } from '../../dev/stack.ts';
import { messageOf } from '../../graph/values/index.ts';
import { publishFile } from '../graphs/publish-file.ts';
import { watchFiles } from './watch-files.ts';
import { whereThrown } from './where-thrown.ts';

interface Development {
  readonly stack: Pick<Stack, 'graphs' | 'reload'>;
  readonly client: Client;
  /** The folder of the project. */
  readonly root: string;
  /** The folder of the stack's state. */
  readonly dataDir: string;
  readonly say: (line: string) => void;
}

/**
 * Publishes the graphs of a project, and takes up what is changed in it: definitions are published anew; all else makes
 * the stack load its code anew. What is wrong is told, and all goes on as before.
 * @returns a function that ends it
 */
export async function develop({ stack, client, root, dataDir, say }: Development): Promise<() => Promise<void>> {
  const published = new Map<string, number>();
  const publishAll = async (): Promise<void> => {
    const folder = stack.graphs();
    const files = folder === null ? [] : await graphFiles(folder).catch(() => []);
    for (const file of files) {
      const result = await publishFile(client, relative(process.cwd(), file)).catch((error: unknown) => ({
        problem: `${messageOf(error)}\n`,
      }));
      if ('problem' in result) say(result.problem.trimEnd());
      else if (published.get(file) !== result.graph.version) {
        published.set(file, result.graph.version);
        say(`published ${result.graph.name}, version ${result.graph.version} (${relative(root, file)})`);
      }
    }
  };
  const changed = async (files: readonly string[]): Promise<void> => {
    const began = performance.now();
    forgetModules();
    const names = files.map((file) => relative(root, file)).join(', ');
    if (files.some((file) => !isInside(file, stack.graphs()))) {
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
  // What is changed from the first line on is taken up.
  const without = [resolve(dataDir), join(root, 'dist')];
  const failed = (problem: string): void => say(`not all files are watched: ${problem}`);
  const isGraph = (file: string): boolean => isInside(file, stack.graphs());
  const stop = await watchFiles({ root, without, isGraph, changed, failed });
  await publishAll();
  return stop;
}

function isInside(file: string, folder: string | null): boolean {
  return folder !== null && file.startsWith(`${folder}${sep}`);
}
