import { sql } from 'kysely';
import type { ColumnType, RawBuilder } from 'kysely';
import type { Json } from '../../graph/values/index.ts';

/** A column of JSON that only we write, so its type is known. */
export type Payload<T = Json> = ColumnType<T, string, string>;
export type OptionalPayload<T = Json> = ColumnType<T | null, string | null | undefined, string | null>;
export type Time = ColumnType<Date, string, string>;
export type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>;
export type OptionalText = Optional<string>;
export type OptionalTime = ColumnType<Date | null, string | null | undefined, string | null>;

/**
 * Replaces NUL in the texts of a statement's parameters, and in lists of texts, by U+FFFD: PostgreSQL's text can't hold
 * NUL. A search for such a text then finds nothing instead of failing.
 */
export function storableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map(toStorable);
}

function toStorable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return Array.isArray(value) && value.some((item) => toStorable(item) !== item) ? value.map(toStorable) : value;
}

// The embedded database turns bytes into parameters, and rows into bytes, one by one: it is slow at it, and fast at text.

/** The column `data` as text. */
export const IN_BASE64 = sql<string>`encode(data, 'base64')`.as('data');

/** Bytes as a value of a column. */
export function toBytes(data: Uint8Array): RawBuilder<Uint8Array> {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64');
  return sql<Uint8Array>`decode(${text}, 'base64')`;
}
