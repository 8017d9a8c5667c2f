import { useSyncExternalStore } from 'react';
import type { JSX } from 'react';
import { tellDistance } from './texts.ts';

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

const PERIOD_MS = 1_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** One timer serves all that count down. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, PERIOD_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time in milliseconds, anew each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
