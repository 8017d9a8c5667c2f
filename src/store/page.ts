import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

/** Which part of a list is asked for: so many entries that come after one. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: Position | undefined;
}

/** The place of an entry in a list that is ordered by time and id. */
export interface Position {
  readonly at: string;
  readonly id: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; `null`: this was the last. */
  readonly next: Position | null;
}

/** Makes a page of rows of which one more than `limit` was read. */
export function toPage<T>(rows: readonly T[], limit: number, positionOf: (row: T) => Position): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? positionOf(last) : null };
}

/** The same page of what its entries are shown as. */
export function mapPage<T, Shown>({ items, next }: Page<T>, show: (item: T) => Shown): Page<Shown> {
  return { items: items.map(show), next };
}

/** Entries that stand after a position in a list with the newest first. */
export function isBefore(timeColumn: string, position: Position | undefined): RawBuilder<boolean> {
  return position
    ? sql<boolean>`(${sql.ref(timeColumn)}, id) < (${position.at}::timestamptz, ${position.id})`
    : sql<boolean>`true`;
}

export function isAfterTime(timeColumn: string, time: string | undefined): RawBuilder<boolean> {
  return time === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(timeColumn)} > ${time}::timestamptz`;
}

/** A condition that holds for all when no value is given. */
export function isEqual(column: string, value: string | undefined): RawBuilder<boolean> {
  return value === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${value}`;
}
