import type { GraphIssue } from '../../graph/definition/index.ts';
import { remainingBytes } from '../../graph/values/index.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';

/** The graphs that one may refer to, directly or through others. */
const MAX_GRAPHS = 200;

/** The size of their definitions together. */
const MAX_GRAPHS_BYTES = 8 * 1_048_576;

/** The names that are looked for, whether there is such a graph or not. */
const MAX_LOOKUPS = 2_000;

/** Where the graphs of a tenant are read. */
export interface GraphSource {
  readonly store: { readonly graphs: Pick<Store['graphs'], 'find'> };
  readonly tenantId: string;
}

/** Finds a version of a graph, or the newest. */
export type FindGraph = (name: string, version: number | undefined) => Promise<PublishedGraph | null>;

/** What finds the graphs of one request. Beyond the bounds it finds no more. */
export interface BoundedFinder {
  readonly find: FindGraph;
  /** The issue of a definition that refers to more than the bounds allow. */
  readonly excess: () => GraphIssue<'GRAPH_TOO_LARGE'> | null;
}

/** Makes what finds the graphs of one request: each is read once. */
export function readOnce({ store, tenantId }: GraphSource): BoundedFinder {
  const known = new Map<string, PublishedGraph | null>();
  const versions = new Map<string, PublishedGraph>();
  let remaining = MAX_GRAPHS_BYTES;
  const excess: BoundedFinder['excess'] = () => {
    if (versions.size > MAX_GRAPHS || known.size > MAX_LOOKUPS)
      return tooLarge(`It refers to more than ${MAX_GRAPHS} graphs`);
    return remaining < 0 ? tooLarge(`The graphs that it refers to take over ${MAX_GRAPHS_BYTES} bytes together`) : null;
  };
  const read: FindGraph = async (name, version) => {
    const found = await store.graphs.find(tenantId, name, version);
    if (!found) return null;
    const exact = `${name}@${found.version}`;
    const before = versions.get(exact);
    if (before) return before;
    versions.set(exact, found);
    remaining = remainingBytes(remaining, found.definition);
    return found;
  };
  return {
    excess,
    async find(name, version) {
      const key = `${name}@${version ?? ''}`;
      const before = known.has(key) ? known.get(key) : versions.get(key);
      if (before !== undefined) return before;
      if (excess()) return null;
      const found = await read(name, version);
      known.set(key, found);
      return found;
    },
  };
}

function tooLarge(message: string): GraphIssue<'GRAPH_TOO_LARGE'> {
  return { code: 'GRAPH_TOO_LARGE', severity: 'error', path: '', message };
}
