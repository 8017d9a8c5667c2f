import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isModule } from './import-graph.ts';

/** Lists the files of a folder that may hold a graph, by name. @throws when there is no such folder */
export async function graphFiles(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith('.json') || isModule(file))
    .toSorted()
    .map((file) => join(folder, file));
}
