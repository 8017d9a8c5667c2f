import type { Bulk, RunFilter, RunStatus } from 'holdfast/client';

export const STATUSES = ['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'canceled'] as const;

/** The fields of the search for runs. They are stored in the address of the page. */
export interface RunSearch {
  readonly statuses: readonly RunStatus[];
  readonly graph: string;
  readonly thread: string;
  /** Metadata as text: `order=A-1 customer=7`. */
  readonly metadata: string;
  /** The run whose forks are searched for. */
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

/** Formats a search as the query of an address, without empty fields. */
export function writeSearch({ statuses, ...texts }: RunSearch): URLSearchParams {
  const all = { status: statuses.join(','), ...texts };
  return new URLSearchParams(Object.entries(all).filter(([, text]) => text !== ''));
}

/** Converts a search to a filter of the API. */
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

/** Converts a search to a filter of an action on many runs. */
export function toBulkFilter(search: RunSearch): NonNullable<Bulk['filter']> {
  const { status, ...filter } = toFilter(search);
  return { ...filter, ...(status !== undefined && { status: [status].flat() }) };
}

const PAIR = /^([^\s=:]+)[=:](?:"([^"]*)"|([^\s"]\S*))$/;
/** Matches words; quotes keep a text with spaces together. */
const WORD = /(?:"[^"]*"|[^\s"])+|"/g;
const MOST_FIELDS = 10;

/** Parses `name=value` pairs that are separated by spaces; quotes keep a value with spaces together. */
export function readMetadata(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(pairsIn(text).flatMap(({ pair }) => (pair ? [pair] : [])));
}

interface MetadataWord {
  readonly word: string;
  /** `null` if the word is not a pair. */
  readonly pair: readonly [name: string, value: string] | null;
}

function pairsIn(text: string): readonly MetadataWord[] {
  return (text.match(WORD) ?? []).map((word) => {
    const [, name, quoted, plain] = PAIR.exec(word) ?? [];
    return { word, pair: name === undefined ? null : [name, quoted ?? plain ?? ''] };
  });
}

/** The problems of a search by field; `address` for those of no field. An invalid search must neither find nor change runs. */
export type SearchProblems = Readonly<Partial<Record<'status' | 'metadata' | 'address', string>>>;

const NAMES: ReadonlySet<string> = new Set(['status', 'graph', 'thread', 'metadata', 'parent']);

/** Finds unknown or invalid filters in an address. Ignoring them would widen the search. */
export function findProblems(query: URLSearchParams): SearchProblems {
  const metadata = metadataProblem(query.get('metadata') ?? '');
  const status = statusProblem(query.get('status') ?? '');
  const names = [...query.keys()];
  const unknown = names.find((name) => !NAMES.has(name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const address =
    unknown === undefined
      ? twice !== undefined && `The address has “${twice}” twice.`
      : `The address has “${unknown}”, which is no filter.`;
  return {
    ...(status !== null && { status }),
    ...(metadata !== null && { metadata }),
    ...(address !== false && { address }),
  };
}

function statusProblem(text: string): string | null {
  const wrong = text.split(',').find((name) => !STATUSES.some((status) => status === name));
  return text === '' || wrong === undefined ? null : `“${wrong}” is no status.`;
}

function metadataProblem(text: string): string | null {
  const words = pairsIn(text);
  const wrong = words.find(({ pair }) => pair === null);
  if (wrong) return `“${wrong.word}” can’t be read: a name, “=” and a value are expected, such as customer=7.`;
  const names = words.map(({ pair }) => pair?.[0]);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `“${twice}” is there twice: a run has one value of it.`;
  return words.length > MOST_FIELDS ? `${MOST_FIELDS} fields are looked for at most.` : null;
}

/** Describes the runs of a search; empty for all runs. */
export function describeSearch(search: RunSearch): string {
  const { status, graph, threadId, parentRunId, metadata } = toBulkFilter(search);
  return [
    status !== undefined && `status ${status.join(' or ')}`,
    graph !== undefined && `graph ${graph}`,
    threadId !== undefined && `thread ${threadId}`,
    parentRunId !== undefined && `forks of ${parentRunId}`,
    ...Object.entries(metadata ?? {}).map(([name, value]) => `metadata ${name}=${value}`),
  ]
    .filter((part) => part !== false)
    .join(', ');
}
