import { useInfiniteQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { lazy } from 'react';
import type { JSX, ReactNode, ComponentType } from 'react';
import type { CallOptions, Listing } from 'holdfast/client';
import { Loading, Problem, Notice } from './notices.tsx';

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>;
  readonly what?: string;
  readonly children: (data: T) => ReactNode;
}

/** Shows the data of a query, its loading or its error. Old data stays visible while it is fetched again. */
export function QueryView<T>({ query, what, children }: QueryViewProps<T>): JSX.Element {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...(what !== undefined && { what })} />;
}

interface PagesViewProps<T> {
  readonly pages: Pages<T>;
  /** Shown when there is nothing. */
  readonly empty: ReactNode;
  readonly children: (items: readonly T[]) => ReactNode;
}

/** Shows the loaded pages of a list, with a button that loads the next one. */
export function PagesView<T>({ pages, empty, children }: PagesViewProps<T>): JSX.Element {
  const { items, error, hasMore, readMore, readAgain } = pages;
  if (items === undefined) return error === null ? <Loading /> : <Problem error={error} onRetry={readAgain} />;
  return (
    <>
      {error !== null && <Problem error={error} onRetry={readAgain} />}
      {items.length === 0 ? empty : children(items)}
      {hasMore && (
        <button type="button" className="button" onClick={readMore}>
          Show more
        </button>
      )}
    </>
  );
}

/** The loaded pages of a list. */
export interface Pages<T> {
  /** `undefined` until the first page is loaded. */
  readonly items: readonly T[] | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly readMore: () => void;
  readonly readAgain: () => void;
}

/** Loads a list from the API page by page. */
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

/**
 * A component that is loaded when it is rendered, within a `Suspense`. If loading fails, a notice takes its place, and the rest
 * of the page, such as a half-filled form, stays.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(async () => ({ default: await load().catch(() => NotLoaded) }));
}

function NotLoaded(): ReturnType<typeof Notice> {
  return <Notice kind="bad">This part could not be loaded. It is there once the page is opened again.</Notice>;
}
