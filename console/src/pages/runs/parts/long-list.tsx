import type { JSX } from 'react';
import { useRows } from './use-rows.ts';
import './runs.css';

interface LongListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  /** The height of most rows; each is measured when it is drawn. */
  readonly rowPx: number;
  readonly children: (item: Item) => JSX.Element;
}

/** A list that renders only the visible rows. Screen readers get the total. */
export function LongList<Item>({ label, items, keyOf, rowPx, children }: LongListProps<Item>): JSX.Element {
  const { scroll, rows } = useRows({
    count: items.length,
    rowPx,
    keyOf: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  return (
    <div className="long-list" ref={scroll} role="region" aria-label={label} tabIndex={-1}>
      <ol style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                aria-setsize={items.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
              >
                {children(item)}
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}
