import { useSyncExternalStore } from 'react';
import type { JSX } from 'react';
import { formatDistance } from './texts.ts';

const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time from the API in the viewer's zone. Its title has the exact time. */
export function Time({ at }: { readonly at: string }): JSX.Element {
  const time = new Date(at);
  return (
    <time dateTime={at} title={`${WHOLE.format(time)} (${ZONE})`}>
      {SHORT.format(time)}
    </time>
  );
}

/** The distance of a time from now, updated each second. */
export function Ago({ at }: { readonly at: string }): JSX.Element {
  const time = new Date(at);
  const now = useNow();
  return (
    <time dateTime={at} title={`${WHOLE.format(time)} (${ZONE})`}>
      {formatDistance(time.getTime(), now)}
    </time>
  );
}

const PERIOD_MS = 1_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** All subscribers share one timer. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const notify of listeners) notify();
  }, PERIOD_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time in milliseconds, updated each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
