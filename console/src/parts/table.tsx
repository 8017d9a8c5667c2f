import type { JSX, ReactNode } from 'react';
import './parts.css';

/** The head of a column; one that is plain to the eye is told to readers of the screen only. */
export type Column = string | { readonly forReaders: string };

interface TableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  /** The rows. */
  readonly children: ReactNode;
}

/** A table with named columns, which moves sideways on a small screen. */
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

/** Something wide, such as a table: on a small screen it moves sideways, by keys too. */
export function Wide({ label, children }: { readonly label: string; readonly children: ReactNode }): JSX.Element {
  return (
    // What moves has to be reached without a pointer.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="wide" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
