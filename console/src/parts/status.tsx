import type { JSX } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

type Look = readonly [tone: 'neutral' | 'info' | 'ok' | 'warn' | 'bad', icon: IconName];

/** Tone and icon of each status of runs, approvals, nodes, calls and deliveries. */
const LOOKS: Readonly<Record<string, Look>> = {
  queued: ['neutral', 'dots'],
  running: ['info', 'play'],
  waiting: ['warn', 'hourglass'],
  paused: ['warn', 'pause'],
  completed: ['ok', 'check'],
  failed: ['bad', 'cross'],
  canceled: ['neutral', 'ban'],
  skipped: ['neutral', 'chevron'],
  pending: ['warn', 'hourglass'],
  approved: ['ok', 'check'],
  rejected: ['bad', 'cross'],
  expired: ['neutral', 'clock'],
  delivered: ['ok', 'check'],
  active: ['ok', 'check'],
  disabled: ['neutral', 'ban'],
  unknown: ['bad', 'warning'],
};

const PLAIN: Look = ['neutral', 'dots'];

/** A status with its icon and color. */
export function Status({ of, label = of }: { readonly of: string; readonly label?: string }): JSX.Element {
  const [tone, icon] = LOOKS[of] ?? PLAIN;
  return (
    <span className={`status ${tone}`}>
      <Icon name={icon} />
      {label}
    </span>
  );
}
