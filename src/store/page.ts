import { sql } from 'kysely';
import type { Kysely, RawBuilder, SelectQueryBuilder } from 'kysely';
import type { Tables } from './tables.ts';

/** Requests up to `limit` entries after a position. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: Position | undefined;
  /** The most bytes of the page's payloads, by default `MAX_PAGE_BYTES`. */
  readonly maxBytes?: number | undefined;
}

/** The position of an entry in a list that is ordered by time and id. */
export interface Position {
  readonly at: string;
  readonly id: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** The position after which the next page begins; `null` for the last page. */
  readonly next: Position | null;
}

/** Builds a page from entries of which one more than `limit` was read. */
export function toPage<T>(entries: readonly T[], limit: number, positionOf: (entry: T) => Position): Page<T> {
  const items = entries.slice(0, limit);
  const last = items.at(-1);
  return { items, next: entries.length > limit && last !== undefined ? positionOf(last) : null };
}

/** The most bytes of a page's payloads; a page with a single larger entry is allowed. */
export const MAX_PAGE_BYTES = 8 * 1_048_576;

/** The order of the rows in a list, and their sizes. @internal */
interface PageQuery<Row> {
  readonly limit: number;
  readonly maxBytes?: number | undefined;
  /** An order by columns in which no two rows are equal. */
  readonly order: RawBuilder<unknown>;
  /** Columns whose values may be large; none by default. */
  readonly payloads?: readonly (keyof Row & string)[];
  readonly positionOf: (row: Row) => Position;
}

/** Reads the rows of one page only. @internal */
export async function readPage<Source extends Tables, Table extends keyof Source, Row>(
  db: Kysely<Tables>,
  rows: SelectQueryBuilder<Source, Table, Row>,
  { limit, maxBytes = MAX_PAGE_BYTES, order, payloads = [], positionOf }: PageQuery<Row>,
): Promise<Page<Row>> {
  const candidates = rows.orderBy(order).limit(limit + 1);
  const inOrder = sql`over (order by ${order} rows unbounded preceding)`;
  const { rows: items } = await sql<Row & { readonly is_followed: boolean }>`
    select * from (
      select *,
        row_number() ${inOrder} as page_rank,
        sum(${rowBytesOf(payloads)}) ${inOrder} as page_bytes,
        lead(true, 1, false) ${inOrder} as is_followed
      from (${candidates}) as candidates
    ) as ranked
    where page_rank = 1 or (page_rank <= ${limit} and page_bytes <= ${maxBytes}) order by page_rank
  `.execute(db);
  const last = items.at(-1);
  return { items, next: last?.is_followed ? positionOf(last) : null };
}

function rowBytesOf(payloads: readonly string[]): RawBuilder<unknown> {
  const sizes = payloads.map((column) => sql`coalesce(octet_length(${sql.ref(column)}::text), 0)`);
  return sql.join([sql`0`, ...sizes], sql` + `);
}

/** Converts the entries of a page. */
export function mapPage<T, Item>({ items, next }: Page<T>, toItem: (entry: T) => Item): Page<Item> {
  return { items: items.map(toItem), next };
}

/** The order of rows with a creation time, newest first. @internal */
export const NEWEST_FIRST = {
  order: sql`created_at desc, id desc`,
  positionOf: ({ created_at, id }: CreatedRow) => ({ at: created_at.toISOString(), id }),
};

interface CreatedRow {
  readonly created_at: Date;
  readonly id: string;
}

/** Builds the condition for a value of a filter; without a value, the condition is always true. @internal */
export function ifGiven<Value>(
  value: Value | undefined,
  condition: (value: Value) => RawBuilder<boolean>,
): RawBuilder<boolean> {
  return value === undefined ? sql<boolean>`true` : condition(value);
}

/** Builds a condition for the entries after a position in a list that is ordered newest first. @internal */
export function isBeforePosition(timeColumn: string, position: Position | undefined): RawBuilder<boolean> {
  return ifGiven(position, ({ at, id }) => sql`(${sql.ref(timeColumn)}, id) < (${at}::timestamptz, ${id})`);
}

/** Builds an equality condition; without a value it is always true. @internal */
export function isEqual(column: string, value: string | undefined): RawBuilder<boolean> {
  return ifGiven(value, (given) => sql`${sql.ref(column)} = ${given}`);
}
