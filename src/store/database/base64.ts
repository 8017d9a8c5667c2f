import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

// The embedded database turns bytes into parameters, and rows into bytes, one by one: it is slow at it, and fast at text.

/** The column `data` as text. */
export const IN_BASE64 = sql<string>`encode(data, 'base64')`.as('data');

/** Bytes as a value of a column. */
export function toBytes(data: Uint8Array): RawBuilder<Uint8Array> {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64');
  return sql<Uint8Array>`decode(${text}, 'base64')`;
}
