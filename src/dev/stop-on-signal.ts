/** A runner such as `tsx` passes a signal of the process group on, so one Ctrl-C arrives twice. */
const ONE_REQUEST_MS = 1_000;

interface Stopping {
  /** Begins to stop in order. */
  readonly begin: () => void;
  /** Ends the process at once. */
  readonly end: () => void;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Returns a handler of signals: the first one begins to stop, one that comes more than a second later ends at once. */
export function stopOnSignal({ begin, end, now }: Stopping): () => void {
  let since: number | null = null;
  return () => {
    if (since === null) {
      since = now();
      begin();
    } else if (now() - since > ONE_REQUEST_MS) end();
  };
}
