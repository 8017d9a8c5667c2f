import type { ApiRequest, CallOptions, Send } from './send.ts';
import type { PageRequest, RunStatus } from './answers.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Asks for the next page; `null`: this was the last. */
  readonly nextCursor: string | null;
}

/** A list: `for await` reads all of it, page by page; `page` reads one page. */
export interface Listing<T> extends AsyncIterable<T> {
  /** @param cursor `nextCursor` of the page before */
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

/** Makes a path of text with ids in it. @throws TypeError for an id that would lead to another route */
export function path(texts: TemplateStringsArray, ...ids: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...ids.map(toSegment));
}

function toSegment(id: string | number): string {
  const text = String(id);
  if (['', '.', '..'].includes(text)) throw new TypeError(`"${text}" is no id or name`);
  return encodeURIComponent(text);
}

/** Which runs a list has; a run fulfills all of it. */
export interface RunFilter extends PageRequest {
  /** One of these. */
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /** The name of a graph. */
  readonly graph?: string | undefined;
  readonly threadId?: string | undefined;
  /** Forks of this run. */
  readonly parentRunId?: string | undefined;
  /** RFC 3339 */
  readonly createdAfter?: string | undefined;
  /** RFC 3339 */
  readonly createdBefore?: string | undefined;
  /** Fields at the top of the metadata; a name may not have a colon. */
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export function toRunQuery({ status, metadata = {}, ...filter }: RunFilter): NonNullable<ApiRequest['query']> {
  return {
    ...filter,
    status: status === undefined ? undefined : [status].flat().join(','),
    metadata: Object.entries(metadata).map(([name, value]) => `${name}:${value}`),
  };
}
