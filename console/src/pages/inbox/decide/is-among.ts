import type { Listing } from 'holdfast/client';

/** Pages that are looked through. */
const MOST_PAGES = 20;

/** Looks for an item in a list. @returns `null` if the first pages do not have it, and more follow */
export async function isAmong(
  listing: Pick<Listing<{ readonly id: string }>, 'page'>,
  id: string,
): Promise<boolean | null> {
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const { items, nextCursor } = await listing.page(cursor);
    if (items.some((item) => item.id === id)) return true;
    if (nextCursor === null) return false;
    cursor = nextCursor;
  }
  return null;
}
