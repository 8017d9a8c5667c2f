import type { WebhookDelivery } from 'holdfast/client';
import type { JSX } from 'react';
import { tellDuration } from '../../../parts/tell-time.ts';
import { Time } from '../../../parts/time.tsx';

/** The attempts to deliver a message, and how each was answered. */
export function Attempts({ attempts }: Pick<WebhookDelivery, 'attempts'>): JSX.Element {
  if (attempts.length === 0) return <>none yet</>;
  return (
    <ol className="attempts small-text">
      {attempts.map(({ at, status, error, durationMs }) => (
        <li key={at}>
          <Time at={at} />: {status ?? 'no answer'} after {tellDuration(durationMs)}
          {error !== null && <span className="muted"> {error}</span>}
        </li>
      ))}
    </ol>
  );
}
