import { remainingBytes } from '../../graph/values/index.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../http/errors.ts';

/** The graphs that one may refer to, directly or through others. */
const MAX_GRAPHS = 200;

/** The size of their definitions together. */
const MAX_GRAPHS_BYTES = 8 * 1_048_576;

/** Where the graphs of a tenant are read. */
export interface GraphSource {
  readonly store: { readonly graphs: Pick<Store['graphs'], 'find'> };
  readonly tenantId: string;
}

/** Finds a version of a graph, or the newest. */
export type FindGraph = (name: string, version: number | undefined) => Promise<PublishedGraph | null>;

/**
 * Makes what finds the graphs of one request: each is read once.
 * It throws ApiError 413 when these are too many, or too large together.
 */
export function readOnce({ store, tenantId }: GraphSource): FindGraph {
  const known = new Map<string, PublishedGraph | null>();
  let reads = 0;
  let remaining = MAX_GRAPHS_BYTES;
  return async (name, version) => {
    const key = `${name}@${version ?? ''}`;
    const read = known.get(key);
    if (read !== undefined) return read;
    reads += 1;
    if (reads > MAX_GRAPHS) throw tooLarge(`It refers to more than ${MAX_GRAPHS} graphs`);
    const found = await store.graphs.find(tenantId, name, version);
    known.set(key, found);
    if (!found) return null;
    known.set(`${name}@${found.version}`, found);
    remaining = remainingBytes(remaining, found.definition);
    if (remaining < 0) throw tooLarge(`The graphs that it refers to take over ${MAX_GRAPHS_BYTES} bytes together`);
    return found;
  };
}

function tooLarge(message: string): ApiError {
  return new ApiError('GRAPH_TOO_LARGE', message);
}
