import type { JSX, ReactNode } from 'react';

interface EmptyProps {
  readonly title: string;
  /** What to do about it. */
  readonly children?: ReactNode;
}

/** Says that a list has nothing, and how something gets there. */
export function Empty({ title, children }: EmptyProps): JSX.Element {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}
