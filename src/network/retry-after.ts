/**
 * Reads the delay before a retry that a server requests: `retry-after-ms` or `retry-after` (seconds, or an HTTP date;
 * RFC 9110, 10.2.3).
 * @param now milliseconds since the epoch
 * @returns milliseconds, or `null`
 */
export function readRetryAfter(headers: { get(name: string): string | null }, now: number): number | null {
  const ms = toNonNegativeNumber(headers.get('retry-after-ms'));
  if (ms !== null) return ms;
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = toNonNegativeNumber(text);
  if (seconds !== null) return seconds * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function toNonNegativeNumber(text: string | null): number | null {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}
