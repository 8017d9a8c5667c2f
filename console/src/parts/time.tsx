import type { JSX } from 'react';
import { useNow } from '../live/use-now.ts';
import { tellDistance } from './tell-time.ts';

const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time of the API in the viewer's zone. The exact one shows itself under the pointer. */
export function Time({ at }: { readonly at: string }): JSX.Element {
  const time = new Date(at);
  return (
    <time dateTime={at} title={`${WHOLE.format(time)} (${ZONE})`}>
      {SHORT.format(time)}
    </time>
  );
}

/** How far a time is from now, as it changes. */
export function Ago({ at }: { readonly at: string }): JSX.Element {
  const time = new Date(at);
  const now = useNow();
  return (
    <time dateTime={at} title={`${WHOLE.format(time)} (${ZONE})`}>
      {tellDistance(time.getTime(), now)}
    </time>
  );
}
