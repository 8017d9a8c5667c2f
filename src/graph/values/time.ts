import { own } from './json.ts';

/** RFC 3339, section 5.6, with a required offset and without leap seconds. */
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Reads an RFC 3339 timestamp. @returns milliseconds since the epoch; `null` if the text is not a timestamp */
export function parseTimestamp(text: string): number | null {
  const [, ...parts] = RFC_3339.exec(text) ?? [];
  const [year, month, day, hour, minute, second] = parts.slice(0, 6).map(Number);
  const [fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = parts.slice(6);
  const date = dateMs(year, month, day);
  const time = timeMs(hour, minute, second);
  const offset = timeMs(Number(offsetHour), Number(offsetMinute), 0);
  if (date === null || time === null || offset === null) return null;
  return date + time + Number(fraction.padEnd(3, '0').slice(0, 3)) - (sign === '-' ? -offset : offset);
}

/** Writes milliseconds since the epoch as an RFC 3339 timestamp. */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Returns the nearest time from 1970 to the year 9999, in milliseconds, because later years have no RFC 3339 timestamp.
 */
export function toTimestampMs(epochMs: number): number {
  return Math.min(Math.max(0, epochMs), LATEST_MS);
}

/** @returns `null` for a date that does not exist */
function dateMs(year = Number.NaN, month = 0, day = 0): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

/** @returns `null` for a time that does not exist */
function timeMs(hour = 24, minute = 0, second = 0): number | null {
  return hour > 23 || minute > 59 || second > 59 ? null : ((hour * 60 + minute) * 60 + second) * 1_000;
}

/** Like `parseDuration`, for JSON Schema, but without the upper limit. */
export const DURATION_PATTERN = String.raw`^\d+(\.\d+)?(ms|s|m|h|d)$`;

/**
 * Reads a duration such as `"250ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`.
 * @returns milliseconds; `null` if the value is not a duration, or over 100 years
 */
export function parseDuration(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const number = DURATION_NUMBER_PATTERN.exec(text)?.[0];
  if (number === undefined) return null;
  const unitMs = own(UNITS_MS, text.slice(number.length));
  if (unitMs === undefined) return null;
  const ms = Number(number) * unitMs;
  return ms <= MAX_DURATION_MS ? Math.round(ms) : null;
}

/**
 * Reads a duration of a valid definition, in milliseconds.
 * @throws TypeError if validation has accepted an invalid one
 */
export function toMs(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === null) throw new TypeError(`"${duration}" is no duration`);
  return ms;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const DURATION_NUMBER_PATTERN = /^\d+(?:\.\d+)?(?=[a-z]+$)/;

/** A longer wait is a mistake, and the Temporal server accepts no timer of this length. */
const MAX_DURATION_MS = 100 * 365 * DAY_MS;
