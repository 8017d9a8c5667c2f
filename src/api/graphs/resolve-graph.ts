import type { GraphDefinition, GraphIssue } from '../../graph/definition/index.ts';
import { hasErrors } from '../../graph/definition/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { contentHash } from '../http/content-hash.ts';
import { ApiError } from '../http/errors.ts';
import type { GraphJobs } from '../graph-jobs/graph-jobs.ts';
import { findForRun } from './find-for-run.ts';
import type { TenantStore } from './find-published.ts';
import { linkGraphs } from './link-graphs.ts';
import type { LinkedGraph } from './link-graphs.ts';

/** A definition that has passed validation. */
export interface ValidGraph {
  readonly name: string;
  readonly version: number | null;
  readonly hash: string;
  /** The definition as its author gave it. */
  readonly given: GraphDefinition;
  /** The definition with an exact version in every reference. */
  readonly definition: GraphDefinition;
  /** The graphs that the definition refers to. */
  readonly graphs: Readonly<Record<string, GraphDefinition>>;
}

/** @throws ApiError with all issues when the definition has errors */
export async function requireValid(
  given: Json,
  lookup: GraphLookup,
  pins?: Readonly<Record<string, number>>,
): Promise<Checked> {
  const linked = await linkGraphs(given, lookup, pins);
  const issues = await findIssues(given, linked, lookup);
  if (!isValid(given, issues) || !isValid(linked.definition, [])) {
    const isTooLarge = issues.some(({ code, path }) => code === 'GRAPH_TOO_LARGE' && path === '');
    const count = issues.filter(({ severity }) => severity === 'error').length;
    throw new ApiError(
      isTooLarge ? 'GRAPH_TOO_LARGE' : 'INVALID_GRAPH',
      `The definition has ${count} error${count === 1 ? '' : 's'}`,
      { issues },
    );
  }
  const { definition, graphs } = linked;
  const graph = { name: definition.name, version: null, hash: contentHash(given), given, definition, graphs };
  return { graph, warnings: issues, pins: linked.pins };
}

/** Finds the issues of a definition. One that refers to more graphs than are read has that one alone. */
export async function findIssues(
  definition: Json,
  { graphs, excess }: Pick<LinkedGraph, 'graphs' | 'excess'>,
  { graphJobs, tenantId }: Pick<GraphLookup, 'graphJobs' | 'tenantId'>,
): Promise<readonly GraphIssue[]> {
  return excess ? [excess] : await graphJobs.do('validate', tenantId, { definition, graphs });
}

/** The place of the graphs that a definition names, and what checks it. */
export interface GraphLookup extends TenantStore {
  readonly graphJobs: GraphJobs;
}

export interface Checked {
  readonly graph: ValidGraph;
  readonly warnings: readonly GraphIssue[];
  readonly pins: Readonly<Record<string, number>>;
}

/**
 * Finds the graph of a new run: by name, version or alias, or given whole.
 * @param runId the id of the run, by which an alias with a canary chooses
 * @throws ApiError 404 without such a graph, or when its version is unpublished; 422 when the definition has errors
 */
export async function resolveGraph(reference: Json, lookup: GraphLookup, runId: string): Promise<ValidGraph> {
  if (typeof reference !== 'string') return (await requireValid(reference, lookup)).graph;
  const found = await findForRun(reference, lookup, runId);
  const { graph } = await requireValid(found.definition, lookup, found.pins);
  return { ...graph, version: found.version, hash: found.hash };
}

function isValid(definition: unknown, issues: readonly GraphIssue[]): definition is GraphDefinition & Json {
  return typeof definition === 'object' && !hasErrors(issues);
}
