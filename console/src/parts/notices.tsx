import type { JSX, ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';
import { describeError } from '../api/errors.ts';
import { visible } from './texts.ts';

export type Tone = 'info' | 'ok' | 'warn' | 'bad';

const ICONS: Readonly<Record<Tone, IconName>> = { info: 'info', ok: 'check', warn: 'warning', bad: 'cross' };

/** A message in the page. Screen readers announce it, errors at once. */
export function Notice({ kind, children }: { readonly kind: Tone; readonly children: ReactNode }): JSX.Element {
  return (
    <div className={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={ICONS[kind]} />
      <div>{children}</div>
    </div>
  );
}

interface ProblemProps {
  readonly error: unknown;
  /** Repeats the request. */
  readonly onRetry?: (() => void) | undefined;
}

/** Shows why a request has failed. */
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

interface EmptyProps {
  readonly title: string;
  /** What to do about it. */
  readonly children?: ReactNode;
}

/** Shows that a list is empty, and how to add something. */
export function Empty({ title, children }: EmptyProps): JSX.Element {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Shows that something is loading. It appears after a short delay. */
export function Loading({ what = 'Loading' }: { readonly what?: string }): JSX.Element {
  return (
    <p className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      {what}…
    </p>
  );
}
