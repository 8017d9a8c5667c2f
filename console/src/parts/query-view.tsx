import type { UseQueryResult } from '@tanstack/react-query';
import type { JSX, ReactNode } from 'react';
import { Loading } from './loading.tsx';
import { Problem } from './problem.tsx';

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>;
  readonly what?: string;
  readonly children: (data: T) => ReactNode;
}

/** Shows an answer, that it is awaited, or why there is none. An old answer stays while a new one is fetched. */
export function QueryView<T>({ query, what, children }: QueryViewProps<T>): JSX.Element {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...(what !== undefined && { what })} />;
}
