import type { Bulk, RunFilter, RunStatus } from 'holdfast/client';

export const STATUSES = ['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'canceled'] as const;

/** What stands in the fields above a list of runs; the address of the page has the same. */
export interface RunSearch {
  readonly statuses: readonly RunStatus[];
  readonly graph: string;
  readonly thread: string;
  /** Fields of the metadata as people write them: `order=A-1 customer=7`. */
  readonly metadata: string;
  /** The run whose forks are looked for. */
  readonly parent: string;
}

/** Reads a search from the query of an address. */
export function readSearch(query: URLSearchParams): RunSearch {
  const named = (query.get('status') ?? '').split(',');
  return {
    statuses: STATUSES.filter((status) => named.includes(status)),
    graph: query.get('graph') ?? '',
    thread: query.get('thread') ?? '',
    metadata: query.get('metadata') ?? '',
    parent: query.get('parent') ?? '',
  };
}

/** Writes a search for the query of an address; what is empty is left out. */
export function writeSearch({ statuses, ...texts }: RunSearch): URLSearchParams {
  const all = { status: statuses.join(','), ...texts };
  return new URLSearchParams(Object.entries(all).filter(([, text]) => text !== ''));
}

/** The filter of the API for a search. */
export function toFilter({ statuses, graph, thread, metadata, parent }: RunSearch): RunFilter {
  const fields = readMetadata(metadata);
  return {
    ...(statuses.length > 0 && { status: statuses }),
    ...(graph.trim() !== '' && { graph: graph.trim() }),
    ...(thread.trim() !== '' && { threadId: thread.trim() }),
    ...(parent.trim() !== '' && { parentRunId: parent.trim() }),
    ...(Object.keys(fields).length > 0 && { metadata: fields }),
  };
}

/** The same filter for an action on many runs. */
export function toBulkFilter(search: RunSearch): NonNullable<Bulk['filter']> {
  const { status, ...filter } = toFilter(search);
  return { ...filter, ...(status !== undefined && { status: [status].flat() }) };
}

/** Reads `name=value` pairs with spaces between them; quotes keep a value with spaces together. */
export function readMetadata(text: string): Readonly<Record<string, string>> {
  const pairs = text.matchAll(/([^\s=:]+)[=:](?:"([^"]*)"|(\S+))/g);
  return Object.fromEntries([...pairs].map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']));
}
