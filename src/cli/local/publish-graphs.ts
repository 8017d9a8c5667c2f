import { relative } from 'node:path';
import type { Client, Publication } from '../../client/index.ts';
import { graphFiles } from '../../config/modules/import-graph.ts';
import { importedFiles } from '../../config/modules/project-modules.ts';
import { orderByReferences } from '../../graph/definition/index.ts';
import { messageOf } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { describePublication, publishDefinition } from '../graphs/definitions.ts';
import { readDefinition } from '../input/read-definition.ts';
import type { DefinitionFile } from '../input/read-definition.ts';

/** Publishes the graphs of a folder again and again, and prints what differs from the last time. */
export interface Publisher {
  /** @param edited the files whose change is the reason */
  publish(folder: string | null, edited: readonly string[]): Promise<void>;
  /** True if the last publication of a graph has failed. */
  isFaulty(): boolean;
  /** The files that the graphs import, with their own. */
  imported(): ReadonlySet<string>;
}

interface PublisherDeps {
  readonly client: Client;
  /** Printed paths are relative to it. */
  readonly root: string;
  readonly say: (line: string) => void;
}

export function createPublisher({ client, root, say }: PublisherDeps): Publisher {
  /** The printed problems, by file. */
  const problems = new Map<string, string>();
  let imported: ReadonlySet<string> = new Set();
  let isFirst = true;
  const sayProblem = (file: string, problem: string, isEdited: boolean): void => {
    if (problems.get(file) !== problem) say(problem.trimEnd());
    else if (isEdited) say(`${relative(root, file)} still has the same problem`);
    problems.set(file, problem);
  };
  /** Prints a publication. @returns false if there is nothing new to print */
  const sayPublication = (file: string, graph: Publication): boolean => {
    const name = relative(root, file);
    const isMended = problems.delete(file);
    const again = graph.outcome === 'restored' ? ' again' : '';
    if (graph.outcome !== 'unchanged') say(`published ${graph.name}, version ${graph.version}${again} (${name})`);
    else if (isMended) say(`${name} is valid again: ${describePublication(graph)}`);
    return graph.outcome !== 'unchanged' || isMended;
  };
  return {
    isFaulty: () => problems.size > 0,
    imported: () => imported,
    async publish(folder, edited) {
      const files = folder === null ? [] : await graphFiles(folder).catch(() => []);
      const unchanged: string[] = [];
      const used = new Set<string>();
      for (const file of problems.keys()) if (!files.includes(file)) problems.delete(file);
      for (const { file, read } of orderByReferences(await readFiles(files), definitionOf)) {
        const result = 'problem' in read ? read : await publishDefinition(client, read).catch(toProblem);
        const ofFile = await importedFiles(file);
        for (const module of ofFile) used.add(module);
        if ('problem' in result)
          sayProblem(
            file,
            result.problem,
            edited.some((path) => ofFile.has(path)),
          );
        else if (!sayPublication(file, result.graph)) unchanged.push(`${result.graph.name}@${result.graph.version}`);
      }
      if (isFirst && unchanged.length > 0) say(`unchanged: ${unchanged.join(', ')}`);
      imported = used;
      isFirst = false;
    },
  };
}

interface Problem {
  /** Ends with a line break. */
  readonly problem: string;
}

/** A file of a graph, or why it can't be read. */
interface GraphFile {
  readonly file: string;
  readonly read: DefinitionFile | Problem;
}

async function readFiles(files: readonly string[]): Promise<readonly GraphFile[]> {
  return await Promise.all(
    files.map(async (file) => ({ file, read: await readDefinition(relative(process.cwd(), file)).catch(toProblem) })),
  );
}

function definitionOf({ read }: GraphFile): Json {
  return 'content' in read && 'definition' in read.content ? read.content.definition : null;
}

function toProblem(error: unknown): Problem {
  return { problem: `${messageOf(error)}\n` };
}
