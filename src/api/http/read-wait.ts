const MAX_WAIT_SECONDS = 60;

/** Reads `Prefer: wait=N` (RFC 7240). @returns seconds, 60 at most; `null` without a usable value */
export function readWait(prefer: string | undefined): number | null {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/i.exec(prefer ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), MAX_WAIT_SECONDS);
}
