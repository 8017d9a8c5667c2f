import type { ApiRequest, CallOptions, Send } from './send.ts';

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
