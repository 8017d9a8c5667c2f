import { createHash } from 'node:crypto';
import type { Catalog } from '../graph/catalog.ts';
import type { GraphDefinition } from '../graph/definition.ts';
import type { GraphIssue } from '../graph/issue.ts';
import { hasErrors } from '../graph/issue.ts';
import { canonicalJson } from '../graph/json.ts';
import type { Json } from '../graph/json.ts';
import { validateGraph } from '../graph/validate/validate.ts';
import type { Store } from '../store/store.ts';
import { ApiError } from './errors.ts';

/** A definition that has been found valid, and which one it is. */
export interface ValidGraph {
  readonly name: string;
  readonly version: number | null;
  readonly hash: string;
  readonly definition: GraphDefinition;
}

/** The hash that tells definitions apart: equal content has equal hashes, whatever the order of its keys. */
function hashOf(definition: Json): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

/** @throws ApiError when the definition has errors, with all its issues */
export function requireValid(
  definition: Json,
  catalog: Catalog,
): { readonly graph: ValidGraph; readonly warnings: readonly GraphIssue[] } {
  const issues = validateGraph(definition, catalog);
  if (!isValid(definition, issues)) {
    const isTooLarge = issues.some(({ code, path }) => code === 'GRAPH_TOO_LARGE' && path === '');
    const count = issues.filter(({ severity }) => severity === 'error').length;
    throw new ApiError(
      isTooLarge ? 'GRAPH_TOO_LARGE' : 'INVALID_GRAPH',
      `The definition has ${count} error${count === 1 ? '' : 's'}`,
      { issues },
    );
  }
  return { graph: { name: definition.name, version: null, hash: hashOf(definition), definition }, warnings: issues };
}

const NAME_AND_VERSION = /^(?<name>[^@]+)(?:@(?<version>[1-9]\d{0,8}))?$/;

/** Finds the graph that a run is asked for: by name, by name and version, or given whole. */
export async function resolveGraph(
  reference: Json,
  tenantId: string,
  { store, catalog }: { store: Store; catalog: Catalog },
): Promise<ValidGraph> {
  if (typeof reference !== 'string') return requireValid(reference, catalog).graph;
  const named = NAME_AND_VERSION.exec(reference)?.groups;
  const version = named?.['version'];
  const found = named
    ? await store.graphs.find(tenantId, named['name'] ?? '', version === undefined ? undefined : Number(version))
    : null;
  if (!found) throw new ApiError('UNKNOWN_GRAPH', `There is no graph "${reference}"`);
  const { graph } = requireValid(found.definition, catalog);
  return { ...graph, version: found.version, hash: found.hash };
}

function isValid(definition: unknown, issues: readonly GraphIssue[]): definition is GraphDefinition & Json {
  return typeof definition === 'object' && !hasErrors(issues);
}
