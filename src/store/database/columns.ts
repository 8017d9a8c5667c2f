import { sql } from 'kysely';
import type { ColumnType, RawBuilder } from 'kysely';
import type { Json } from '../../graph/values/index.ts';

/** A JSON column that only this project writes, so that its type is known. */
export type Payload<T = Json> = ColumnType<T, string, string>;
export type OptionalPayload<T = Json> = ColumnType<T | null, string | null | undefined, string | null>;
export type Time = ColumnType<Date, string, string>;
export type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>;
export type OptionalText = Optional<string>;
export type OptionalTime = ColumnType<Date | null, string | null | undefined, string | null>;

/**
 * Replaces NUL by U+FFFD in a statement's text parameters, because PostgreSQL's text can't hold NUL. So a search for
 * such a text finds nothing instead of failing.
 */
export function storableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map(toStorable);
}

function toStorable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return Array.isArray(value) && value.some((item) => toStorable(item) !== item) ? value.map(toStorable) : value;
}

// The embedded database is slow at converting bytes and fast at converting text, so bytes are transferred in base64.

/** Selects the column `data` in base64. */
export const IN_BASE64 = sql<string>`encode(data, 'base64')`.as('data');

/** Writes bytes as the value of a column. */
export function toBytes(data: Uint8Array): RawBuilder<Uint8Array> {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64');
  return sql<Uint8Array>`decode(${text}, 'base64')`;
}
