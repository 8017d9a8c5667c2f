import type { JSX } from 'react';
import type { Completion } from './completions.ts';
import { placeAt } from './json-text.ts';
import type { Completions } from './use-completions.ts';

interface CompletionListProps {
  /** What the ids of its options begin with. */
  readonly id: string;
  readonly text: string;
  readonly completions: Completions;
  readonly onTake: (completion: Completion) => void;
}

/** Completions below the place that they are for. The keys that move in it are the editor's. */
export function CompletionList({ id, text, completions, onTake }: CompletionListProps): JSX.Element {
  const { items, chosen, offset } = completions;
  const { line, column } = placeAt(text, offset);
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      tabIndex={-1}
      aria-label="Completions"
      className="editor-completions"
      hidden={items.length === 0}
      style={{ top: `calc(${line + 1} * var(--editor-line) + var(--gap-s))`, left: `calc(${column} * 1ch)` }}
    >
      {items.map((item, place) => (
        <div
          key={item.label}
          id={`${id}-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === chosen}
          ref={(option) => {
            if (place === chosen) option?.scrollIntoView({ block: 'nearest' });
          }}
          // The text keeps the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(item);
          }}
        >
          <span className="mono">{item.label}</span>
          {item.about !== null && <span className="muted small-text">{item.about}</span>}
        </div>
      ))}
    </div>
  );
}
