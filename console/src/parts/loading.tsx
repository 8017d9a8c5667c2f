import type { JSX } from 'react';

/** Says that something is on its way. It shows itself only when that takes a moment. */
export function Loading({ what = 'Loading' }: { readonly what?: string }): JSX.Element {
  return (
    <p className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      {what}…
    </p>
  );
}
