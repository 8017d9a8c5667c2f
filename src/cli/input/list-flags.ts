import type { Listing, Page } from '../../client/index.ts';
import { textFlag } from '../line/command.ts';
import { readCountFlag } from './read-flags.ts';

/** The flags by which a command prints a part of a list. */
export const LIST_FLAGS = {
  last: textFlag('N', 'so many entries at most (default: all)'),
  cursor: textFlag('CURSOR', 'continues a list at the cursor that it has printed'),
} as const;

interface ListValues {
  readonly last?: string | undefined;
  readonly cursor?: string | undefined;
}

/** A part of a list. */
export interface ListPart {
  /** The maximum of entries. */
  readonly most: number;
  /** Where the part begins; without it, at the first entry. */
  readonly cursor: string | undefined;
}

/** All entries of a list. */
export const ALL: ListPart = { most: Infinity, cursor: undefined };

/** @throws UsageError */
export function readListFlags({ last, cursor }: ListValues): ListPart {
  return { most: last === undefined ? Infinity : readCountFlag('--last', last), cursor };
}

/** The largest page of most lists of the API. */
const MAX_PAGE = 200;

/**
 * Reads a part of a list, page by page.
 * @param list asks for the list, with so many entries on a page
 * @param maxPage the largest page of this list
 * @returns the entries, and the cursor of those that follow; `null` if none do
 * @throws HoldfastError
 */
export async function readList<T>(
  { most, cursor: from }: ListPart,
  list: (limit: number) => Listing<T>,
  maxPage: number = MAX_PAGE,
): Promise<Page<T>> {
  const items: T[] = [];
  let cursor = from;
  for (;;) {
    const page = await list(Math.min(maxPage, most - items.length)).page(cursor);
    items.push(...page.items);
    if (page.nextCursor === null || items.length >= most) return { items, nextCursor: page.nextCursor };
    cursor = page.nextCursor;
  }
}
