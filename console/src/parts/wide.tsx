import type { JSX, ReactNode } from 'react';
import './wide.css';

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
