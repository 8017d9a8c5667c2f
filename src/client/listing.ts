import type { ApiRequest, CallOptions, Send } from './send.ts';
import type { PageRequest, RunStatus } from './answers.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; `null` on the last page. */
  readonly nextCursor: string | null;
}

/** A list: `for await` reads all of it, page by page; `page` reads one page. */
export interface Listing<T> extends AsyncIterable<T> {
  /** @param cursor the `nextCursor` of the previous page */
  page(cursor?: string): Promise<Page<T>>;
}

export function createListing<T>(
  send: Send,
  { path, query }: Pick<ApiRequest, 'path' | 'query'>,
  options?: CallOptions,
): Listing<T> {
  const page = async (cursor?: string): Promise<Page<T>> =>
    await send.json({ method: 'GET', path, query: { ...query, ...(cursor !== undefined && { cursor }) } }, options);
  return {
    page,
    async *[Symbol.asyncIterator]() {
      let cursor: string | undefined;
      do {
        const { items, nextCursor } = await page(cursor);
        yield* items;
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
    },
  };
}

/** Builds a path from text and ids. @throws TypeError for an id that would lead to another route */
export function toPath(texts: TemplateStringsArray, ...ids: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...ids.map(toSegment));
}

function toSegment(id: string | number): string {
  const text = String(id);
  if (['', '.', '..'].includes(text)) throw new TypeError(`"${text}" is no id or name`);
  return encodeURIComponent(text);
}

/** Filter of a list of runs; a run must match all fields. */
export interface RunFilter extends PageRequest {
  /** Only runs with one of these statuses. */
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /** The name of a graph. */
  readonly graph?: string | undefined;
  readonly threadId?: string | undefined;
  /** Only forks of this run. */
  readonly parentRunId?: string | undefined;
  /** RFC 3339 */
  readonly createdAfter?: string | undefined;
  /** RFC 3339 */
  readonly createdBefore?: string | undefined;
  /** Top-level fields of the metadata; a name may not contain a colon. */
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export function toRunQuery({ status, metadata = {}, ...filter }: RunFilter): NonNullable<ApiRequest['query']> {
  return {
    ...filter,
    status: status === undefined ? undefined : [status].flat().join(','),
    metadata: Object.entries(metadata).map(([name, value]) => `${name}:${value}`),
  };
}
