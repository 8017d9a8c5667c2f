const MAX_SKEW_MS = 5_000;

/** Compares another clock with that of this machine. @throws Error when they differ by more than 5 seconds */
export function checkClock(whose: string, theirs: Date): void {
  const skewMs = Math.abs(theirs.getTime() - Date.now());
  if (skewMs > MAX_SKEW_MS) throw new Error(`${whose} clock and that of this machine differ by ${skewMs} ms`);
}
