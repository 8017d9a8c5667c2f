import { readFile } from 'node:fs/promises';
import { graphFiles } from '../../config/modules/graph-files.ts';
import { importGraph, isModule } from '../../config/modules/import-graph.ts';
import { messageOf, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import { SetupError } from '../../process/setup-error.ts';
import { ApiError } from '../http/errors.ts';
import { publishGraph } from './publish-graph.ts';
import type { GraphLookup } from './resolve-graph.ts';

/** A folder of definitions, and the tenants that have them. */
export interface GraphFolder {
  readonly folder: string;
  readonly tenants: readonly string[];
}

/**
 * Publishes the definitions of a folder, JSON and modules, for each of its tenants.
 * @throws SetupError that names the file, and what is wrong with it; DatabaseAwayError
 */
export async function publishFolder(
  { folder, tenants }: GraphFolder,
  publisher: Omit<GraphLookup, 'tenantId'>,
): Promise<void> {
  const files = await graphFiles(folder);
  // A process that begins while its machine has much to do would find its own graphs too expensive.
  if (files.length > 0) await publisher.graphJobs.ready();
  for (const file of files) {
    try {
      const definition = await readGraph(file);
      for (const tenantId of tenants) await publishGraph(definition, { ...publisher, tenantId, by: 'configuration' });
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      throw new SetupError(`${file} can't be published: ${describe(error)}`, { cause: error });
    }
  }
}

async function readGraph(file: string): Promise<Json> {
  if (!isModule(file)) return toJson(JSON.parse(await readFile(file, 'utf8')));
  const graph = await importGraph(file);
  if ('definition' in graph) return graph.definition;
  throw new Error(`line ${graph.at.line}: ${graph.problem}`);
}

function describe(error: unknown): string {
  const issues = error instanceof ApiError ? error.issues : [];
  return [messageOf(error), ...issues.map(({ path, message }) => `  ${path}: ${message}`)].join('\n');
}
