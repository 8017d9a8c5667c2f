import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { formatTimestamp, parseTimestamp } from '../values/time.ts';
import { spendUnits } from '../values/meter.ts';
import { truncate } from '../values/text.ts';

/*
 * Time in expressions. The CEL library reads and writes times in the time zone of the process, which differs between
 * machines. Here timestamps have an offset, and their fields are those of UTC or of a fixed offset.
 */

const TIMESTAMP = 'google.protobuf.Timestamp';
const DURATION = 'google.protobuf.Duration';

/** In units of the meter. Parsing and calculating with dates takes longer than with numbers. */
const TIME_PRICE = 10;

/** The fields of a timestamp, read from a date that is shifted by the offset. */
const DATE_FIELDS: Readonly<Record<string, (date: Date) => number>> = {
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: dayOfYear,
  getFullYear: (date) => date.getUTCFullYear(),
  getHours: (date) => date.getUTCHours(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
  getMinutes: (date) => date.getUTCMinutes(),
  getMonth: (date) => date.getUTCMonth(),
  getSeconds: (date) => date.getUTCSeconds(),
};

/** A duration converted to whole units. */
const DURATION_FIELDS: Readonly<Record<string, (duration: Duration) => bigint>> = {
  getHours: ({ seconds }) => seconds / 3_600n,
  getMinutes: ({ seconds }) => seconds / 60n,
  getSeconds: ({ seconds }) => seconds,
  getMilliseconds: ({ seconds, nanos }) => seconds * 1_000n + BigInt(Math.floor(nanos / 1_000_000)),
};

/** The functions and methods that this file replaces. */
export const TIME_FUNCTIONS: readonly string[] = ['timestamp', 'duration'];
export const TIME_METHODS: readonly string[] = Object.keys(DATE_FIELDS);

/** Registers the functions for time. @param rename returns the name under which a function replaces the library's */
export function registerTime(environment: Environment, rename: (name: string) => string): void {
  const add = (signature: string, handler: (...args: never[]) => unknown): void => {
    environment.registerFunction(signature, handler, { async: false });
  };
  const field = (date: Date, read: (date: Date) => number): bigint => {
    spendUnits(TIME_PRICE);
    return BigInt(read(date));
  };
  add(`${rename('timestamp')}(string): ${TIMESTAMP}`, (text: string) =>
    toCheckedDate(WITH_T.test(text) ? parseTimestamp(text) : null, text),
  );
  add(`${rename('timestamp')}(int): ${TIMESTAMP}`, (seconds: bigint) =>
    toCheckedDate(Number(seconds) * 1_000, String(seconds)),
  );
  add(`${rename('duration')}(string): ${DURATION}`, parseCelDuration);
  for (const [name, read] of Object.entries(DATE_FIELDS)) {
    add(`${TIMESTAMP}.${rename(name)}(): int`, (date: Date) => field(date, read));
    add(`${TIMESTAMP}.${rename(name)}(string): int`, (date: Date, zone: string) =>
      field(new Date(date.getTime() + offsetMs(zone)), read),
    );
  }
  for (const [name, read] of Object.entries(DURATION_FIELDS)) add(`${DURATION}.${rename(name)}(): int`, read);
}

/** @throws RangeError for a moment outside the years 1 to 9999 */
export function writeTimestamp(date: Date): string {
  return formatTimestamp(toCheckedDate(date.getTime(), 'the timestamp').getTime());
}

/** Writes a duration as seconds with up to nine digits of a fraction, such as `1.5s`. */
export function writeDuration({ seconds, nanos }: Duration): string {
  const total = seconds * NANOS_PER_SECOND + BigInt(nanos);
  const size = total < 0n ? -total : total;
  const fraction = String(size % NANOS_PER_SECOND)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${total < 0n ? '-' : ''}${size / NANOS_PER_SECOND}${fraction && `.${fraction}`}s`;
}

/** RFC 3339 requires a `T` here, where other fields such as those of `wait` accept a space. */
const WITH_T = /^.{10}T/;

const MIN_MS = -62_135_596_800_000;
const LAST_TIMESTAMP_MS = 253_402_300_799_999;

function toCheckedDate(epochMs: number | null, source: string): Date {
  spendUnits(TIME_PRICE);
  if (epochMs !== null && epochMs >= MIN_MS && epochMs <= LAST_TIMESTAMP_MS) return new Date(epochMs);
  const quoted = truncate(source, MAX_QUOTED_TIME);
  throw new RangeError(`"${quoted}" is no timestamp of RFC 3339, such as "2026-01-31T09:30:00Z" (it needs an offset)`);
}

const MAX_QUOTED_TIME = 40;

const OFFSET = /^([+-])?(\d\d):([0-5]\d)$/;

function offsetMs(zone: string): number {
  if (zone === 'UTC' || zone === 'Z') return 0;
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? [];
  if (hours === undefined || Number(hours) > 23)
    throw new RangeError(
      `"${truncate(zone, MAX_QUOTED_TIME)}" is no zone; give "UTC" or an offset such as "+02:00", as named zones differ between machines`,
    );
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}

const NANOS_PER_SECOND = 1_000_000_000n;

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  h: 3_600n * NANOS_PER_SECOND,
  m: 60n * NANOS_PER_SECOND,
  s: NANOS_PER_SECOND,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  ns: 1n,
};

const DURATION_FORM = /^[+-]?(?:\d+\.?\d*(?:h|ms|m|s|us|µs|ns)|\.\d+(?:h|ms|m|s|us|µs|ns))+$/;
const DURATION_PART = /(\d*)\.?(\d*)(h|ms|m|s|us|µs|ns)/g;
const MAX_DURATION_LENGTH = 100;

/** The range of the standard: about 10,000 years. */
const MAX_SECONDS = 315_576_000_000n;

function parseCelDuration(text: string): Duration {
  spendUnits(TIME_PRICE);
  const isDuration = text.length <= MAX_DURATION_LENGTH && DURATION_FORM.test(text);
  const nanos = isDuration
    ? [...text.matchAll(DURATION_PART)].map(nanosecondsOf).reduce((sum, part) => sum + part, 0n)
    : 0n;
  const seconds = nanos / NANOS_PER_SECOND;
  if (!isDuration || seconds > MAX_SECONDS)
    throw new RangeError(`"${truncate(text, MAX_QUOTED_TIME)}" is no duration, such as "1h30m"`);
  const rest = Number(nanos % NANOS_PER_SECOND);
  return text.startsWith('-') ? new Duration(-seconds, -rest) : new Duration(seconds, rest);
}

function nanosecondsOf([, whole = '', fraction = '', unit = '']: RegExpExecArray): bigint {
  const unitNanos = UNIT_NANOS[unit] ?? 0n;
  return BigInt(whole) * unitNanos + (BigInt(fraction.slice(0, 13).padEnd(13, '0')) * unitNanos) / 10n ** 13n;
}
