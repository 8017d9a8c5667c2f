import { useVirtualizer } from '@tanstack/react-virtual';
import type { Virtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { RefObject } from 'react';

interface Rows {
  readonly scroll: RefObject<HTMLDivElement | null>;
  readonly rows: Virtualizer<HTMLDivElement, Element>;
}

interface RowsOptions {
  readonly count: number;
  /** The estimated height of a row that is not measured yet. */
  readonly rowPx: number;
  readonly keyOf: (index: number) => string | number;
}

const MORE_ROWS = 15;

/** Computes the visible rows of a long list. The virtualizer must not be memoized, so it has a hook of its own. */
export function useRows({ count, rowPx, keyOf }: RowsOptions): Rows {
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    getItemKey: keyOf,
    overscan: MORE_ROWS,
  });
  return { scroll, rows };
}
