import { isDefinition, pinCatalog } from '../../graph/definition/index.ts';
import type { Catalog } from '../../graph/definition/index.ts';
import { canonicalJson, forgetOldest } from '../../graph/values/index.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../http/errors.ts';
import { findAllForRun, linkGraphs } from './resolve-graph.ts';
import type { GraphJobs } from '../graph-jobs/jobs.ts';

interface RedactedChannelsDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly graphJobs: GraphJobs;
}

/**
 * Finds the channels that new runs of a reference hide: redacted channels, and those derived from them.
 * @param reference `name`, `name@version` or `name@alias`
 * @returns `null` when there is no such valid graph
 * @throws ApiError 422, 429 or 503 when this can't be determined now
 */
export async function redactedChannels(
  deps: RedactedChannelsDeps,
  tenantId: string,
  reference: string,
): Promise<readonly string[] | null> {
  const graphs = await findAllForRun(reference, { store: deps.store, tenantId });
  const found = await Promise.all(graphs.map(async (graph) => await redactedChannelsOf(deps, tenantId, graph)));
  const known = found.filter((channels) => channels !== null);
  return known.length === 0 || known.length < found.length ? null : [...new Set(known.flat())];
}

/** Handles an error for a caller that tolerates an unknown redaction. @throws errors that are no ApiError */
export function nullForApiError(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}

/** A cache of the redacted channels by version, for each configuration. Versions never change. */
const channelsByCatalog = new WeakMap<Catalog, Map<string, readonly string[]>>();
const MAX_KNOWN = 1_000;

async function redactedChannelsOf(
  deps: RedactedChannelsDeps,
  tenantId: string,
  graph: PublishedGraph,
): Promise<readonly string[] | null> {
  const ofCatalog = channelsByCatalog.get(deps.catalog) ?? new Map<string, readonly string[]>();
  channelsByCatalog.set(deps.catalog, ofCatalog);
  const key = canonicalJson([tenantId, graph.hash, graph.pins]);
  const found = ofCatalog.get(key) ?? (await computeRedactedChannels(deps, tenantId, graph));
  if (found) ofCatalog.set(key, found);
  forgetOldest(ofCatalog, MAX_KNOWN);
  return found;
}

/** @returns `null` for a definition that is no longer valid with its references or the configuration */
async function computeRedactedChannels(
  { store, catalog, graphJobs }: RedactedChannelsDeps,
  tenantId: string,
  { definition: given, pins }: PublishedGraph,
): Promise<readonly string[] | null> {
  const { definition, graphs, excess } = await linkGraphs(given, { store, tenantId }, pins);
  if (excess || !isDefinition(definition)) return null;
  const graph = { definition, catalog: pinCatalog(definition, { ...catalog, graphs }) };
  try {
    return (await graphJobs.do('findRedaction', tenantId, graph, {})).channels;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    return null;
  }
}
