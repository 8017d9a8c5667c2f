import { own } from './json.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const NUMBER = /^\d+(?:\.\d+)?(?=[a-z]+$)/;

/** As `parseDuration`, for JSON Schema; it leaves the limit open. */
export const DURATION_PATTERN = String.raw`^\d+(\.\d+)?(ms|s|m|h|d)$`;

/** Longer waits than this can't be told from a mistake, and no timer of the server holds them. */
const MAX_MS = 100 * 365 * 86_400_000;

/**
 * Reads a duration such as `"250ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`.
 * @returns milliseconds, or `null` when the text is no duration
 */
export function parseDuration(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const number = NUMBER.exec(text)?.[0];
  if (number === undefined) return null;
  const unit = own(UNIT_MS, text.slice(number.length));
  if (unit === undefined) return null;
  const ms = Number(number) * unit;
  return ms <= MAX_MS ? Math.round(ms) : null;
}

/** @throws TypeError for text that validation should have refused */
export function toMs(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === null) throw new TypeError(`"${duration}" is no duration`);
  return ms;
}
