import type { JSX, ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

export type Tone = 'info' | 'ok' | 'warn' | 'bad';

const ICONS: Readonly<Record<Tone, IconName>> = { info: 'info', ok: 'check', warn: 'warning', bad: 'cross' };

/** A message in the page. Readers are told of it: at once where something has failed. */
export function Notice({ kind, children }: { readonly kind: Tone; readonly children: ReactNode }): JSX.Element {
  return (
    <div className={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={ICONS[kind]} />
      <div>{children}</div>
    </div>
  );
}
