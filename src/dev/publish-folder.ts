import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../api/http/errors.ts';
import { requireValid } from '../api/graphs/resolve-graph.ts';
import type { Interpreter } from '../api/interpreter/interpreter.ts';
import { importGraph, isModule } from '../config/import-graph.ts';
import { messageOf, toJson, toJsonObject } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import type { Store } from '../store/store.ts';
import { CALLERS } from './issuer.ts';

interface Publisher {
  readonly store: Store;
  readonly interpreter: Interpreter;
}

/**
 * Publishes the definitions of a folder, JSON and modules, for the tenant of the local tokens.
 * @throws Error that names the file, and what is wrong with it
 */
export async function publishFolder(folder: string, publisher: Publisher): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json') || isModule(file)).sort();
  for (const file of files) {
    const path = join(folder, file);
    try {
      await publish(await readGraph(path), publisher);
    } catch (error) {
      throw new Error(`${path} can't be published: ${describe(error)}`, { cause: error });
    }
  }
}

async function readGraph(path: string): Promise<Json> {
  if (!isModule(path)) return toJson(JSON.parse(await readFile(path, 'utf8')));
  const graph = await importGraph(path);
  if ('definition' in graph) return graph.definition;
  throw new Error(`line ${graph.at.line}: ${graph.problem}`);
}

async function publish(definition: Json, { store, interpreter }: Publisher): Promise<void> {
  const { tenant: tenantId } = CALLERS.user;
  const { graph, warnings, pins } = await requireValid(definition, { store, interpreter, tenantId });
  const { name, hash } = graph;
  await store.graphs.publish({
    tenantId,
    name,
    hash,
    definition: toJsonObject(graph.given),
    warnings,
    pins,
    createdAt: new Date().toISOString(),
    createdBy: 'configuration',
  });
}

function describe(error: unknown): string {
  const issues = error instanceof ApiError ? error.issues : [];
  return [messageOf(error), ...issues.map(({ path, message }) => `  ${path}: ${message}`)].join('\n');
}
