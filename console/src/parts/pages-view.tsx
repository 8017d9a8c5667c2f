import type { JSX, ReactNode } from 'react';
import type { Pages } from '../api/use-pages.ts';
import { Loading } from './loading.tsx';
import { Problem } from './problem.tsx';

interface PagesViewProps<T> {
  readonly pages: Pages<T>;
  /** Shown when there is nothing. */
  readonly empty: ReactNode;
  readonly children: (items: readonly T[]) => ReactNode;
}

/** Shows a list as far as it was read, with a button that reads on. */
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
