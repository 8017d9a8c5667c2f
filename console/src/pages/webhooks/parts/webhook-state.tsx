import type { Webhook } from 'holdfast/client';
import type { JSX } from 'react';
import { Status } from '../../../parts/status.tsx';

const REASONS = { gone: 'disabled: it is gone', failing: 'disabled: it kept failing' } as const;

/** If a webhook is told of events. */
export function WebhookState({ of: { disabled, failingSince } }: { readonly of: Webhook }): JSX.Element {
  if (disabled) return <Status of="disabled" label={REASONS[disabled.reason]} />;
  return failingSince === null ? <Status of="active" /> : <Status of="failed" label="failing" />;
}
