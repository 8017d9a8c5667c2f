import { useInfiniteQuery } from '@tanstack/react-query';
import type { CallOptions, Listing } from 'holdfast/client';

/** A list as far as it was read. */
export interface Pages<T> {
  /** `undefined`: nothing has come yet. */
  readonly items: readonly T[] | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly readMore: () => void;
  readonly readAgain: () => void;
}

/** Reads a list of the API page by page. */
export function usePages<T>(queryKey: readonly unknown[], list: (options: CallOptions) => Listing<T>): Pages<T> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => await list({ signal }).page(pageParam ?? undefined),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return {
    items: query.data?.pages.flatMap(({ items }) => items),
    error: query.error,
    hasMore: query.hasNextPage,
    readMore: () => void query.fetchNextPage(),
    readAgain: () => void query.refetch(),
  };
}
