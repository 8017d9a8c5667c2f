import { isDefinition } from '../../graph/definition/index.ts';
import { NO_MARKS } from '../../graph/diagram/index.ts';
import type { DiagramFormat, MarkedNodes } from '../../graph/diagram/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import { missingGraph } from '../graphs/find-published.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { findRun } from './read-run.ts';

export interface WantedDiagram {
  /** The graph's name. */
  readonly name: string;
  readonly format: DiagramFormat;
  /** The id of a run whose graph is drawn, with its nodes marked by their status. */
  readonly run?: string | undefined;
}

/**
 * Draws the newest version of a graph, or the graph of one of its runs.
 * @throws ApiError 404 when the graph or run does not exist
 */
export async function drawDiagram(
  deps: Pick<ApiDeps, 'store' | 'graphJobs'>,
  caller: Caller,
  { name, format, run }: WantedDiagram,
): Promise<string> {
  const { definition, marks } =
    run === undefined ? await readGraph(deps, caller, name) : await readRun(deps, caller, name, run);
  if (!isDefinition(definition)) throw new TypeError(`The definition of ${name} is not one`);
  return await deps.graphJobs.do('draw', caller.tenantId, definition, marks, format);
}

interface MarkedGraph {
  readonly definition: JsonObject | null;
  readonly marks: MarkedNodes;
}

async function readGraph(
  { store }: Pick<ApiDeps, 'store'>,
  { tenantId, permissions }: Caller,
  name: string,
): Promise<MarkedGraph> {
  const found = await store.graphs.find(tenantId, name);
  if (!found) throw await missingGraph({ store, tenantId, permissions }, name, 'NOT_FOUND');
  return { definition: found.definition, marks: NO_MARKS };
}

async function readRun(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  name: string,
  id: string,
): Promise<MarkedGraph> {
  if (!caller.permissions.has('run:read'))
    throw new ApiError('FORBIDDEN', "Marking a run's nodes needs the permission run:read");
  const { graph, view } = await findRun({ store }, caller, id);
  if (graph.name !== name) throw new ApiError('UNKNOWN_RUN', `Graph "${name}" has no run "${id}"`);
  const [definition, visited] = await Promise.all([store.graphs.definition(graph.hash), store.journal.begun(id)]);
  return { definition, marks: { visited, current: view?.next ?? [] } };
}
