const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A time that a quota is for: the minute or the day (UTC) that it is now. */
export interface QuotaWindow {
  /** RFC 3339. */
  readonly since: string;
  /** Whole seconds until the next one begins, 1 at least. */
  readonly endsInSeconds: number;
}

/** @param nowMs since the epoch */
export const minuteAt = (nowMs: number): QuotaWindow => windowAt(nowMs, MINUTE_MS);
export const dayAt = (nowMs: number): QuotaWindow => windowAt(nowMs, DAY_MS);

function windowAt(nowMs: number, lengthMs: number): QuotaWindow {
  const sinceMs = nowMs - (nowMs % lengthMs);
  return {
    since: new Date(sinceMs).toISOString(),
    endsInSeconds: Math.ceil((sinceMs + lengthMs - nowMs) / 1_000),
  };
}
