import type { JSX, ReactNode } from 'react';
import './parts.css';

/** The header of a column; `forReaders` is for screen readers only. */
export type Column = string | { readonly forReaders: string };

interface TableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  /** The rows. */
  readonly children: ReactNode;
}

/** A table with named columns, which scrolls sideways on a small screen. */
export function Table({ label, columns, children }: TableProps): JSX.Element {
  return (
    <Wide label={label}>
      <table>
        <thead>
          <tr>{columns.map(toHead)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Wide>
  );
}

function toHead(column: Column): JSX.Element {
  if (typeof column === 'string')
    return (
      <th key={column} scope="col">
        {column}
      </th>
    );
  return (
    <th key={column.forReaders} scope="col">
      <span className="for-readers">{column.forReaders}</span>
    </th>
  );
}

/** A container for wide content, such as a table. It scrolls sideways, also by keyboard. */
export function Wide({ label, children }: { readonly label: string; readonly children: ReactNode }): JSX.Element {
  return (
    // A region that scrolls has to be focusable.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="wide" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
