import { own } from './json.ts';

/** As `parseDuration`, for JSON Schema; it leaves the limit open. */
export const DURATION_PATTERN = String.raw`^\d+(\.\d+)?(ms|s|m|h|d)$`;

/**
 * Reads a duration such as `"250ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`.
 * @returns milliseconds; `null`: the value is no duration, or over 100 years
 */
export function parseDuration(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const number = NUMBER.exec(text)?.[0];
  if (number === undefined) return null;
  const unitMs = own(UNITS_MS, text.slice(number.length));
  if (unitMs === undefined) return null;
  const ms = Number(number) * unitMs;
  return ms <= MAX_MS ? Math.round(ms) : null;
}

/**
 * Reads a duration of a valid definition, in milliseconds.
 * @throws TypeError when validation has let a wrong one pass
 */
export function toMs(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === null) throw new TypeError(`"${duration}" is no duration`);
  return ms;
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const NUMBER = /^\d+(?:\.\d+)?(?=[a-z]+$)/;

/** A longer wait is a mistake, and no timer of the Temporal server takes it. */
const MAX_MS = 100 * 365 * 86_400_000;
