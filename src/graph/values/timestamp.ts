/** RFC 3339, section 5.6: an offset is needed, leap seconds are not taken. */
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Reads an RFC 3339 timestamp. @returns milliseconds since the epoch; `null`: the text is no timestamp */
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

/** Returns the nearest time from 1970 to the year 9999, in milliseconds: later years have no RFC 3339 timestamp. */
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
