import type { JSX } from 'react';
import { describeError } from '../api/describe-error.ts';
import { Notice } from './notice.tsx';
import { visible } from './visible.ts';

interface ProblemProps {
  readonly error: unknown;
  /** Asks again. */
  readonly onRetry?: (() => void) | undefined;
}

/** Shows why a request was not served. */
export function Problem({ error, onRetry }: ProblemProps): JSX.Element {
  const { title, detail } = describeError(error);
  return (
    <Notice kind="bad">
      <strong>{visible(title)}</strong>
      <p>{visible(detail)}</p>
      {onRetry && (
        <button type="button" className="button small" onClick={onRetry}>
          Try again
        </button>
      )}
    </Notice>
  );
}
