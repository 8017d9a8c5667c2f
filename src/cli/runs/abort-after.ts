/** Node's longest timer, 24 days: a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Returns a signal that is aborted after a time. That of `AbortSignal.timeout` takes no time over `LONGEST_TIMER_MS`. */
export function abortAfter(ms: number): AbortSignal {
  const ending = new AbortController();
  const endsAt = performance.now() + ms;
  const look = (): void => {
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) ending.abort(new DOMException('The time is up', 'TimeoutError'));
    else setTimeout(look, Math.min(leftMs, LONGEST_TIMER_MS)).unref();
  };
  look();
  return ending.signal;
}
