import pLimit from 'p-limit';
import { ApiError } from '../http/errors.ts';

/** The items of one request that are worked on at a time; other requests need connections, too. */
const AT_ONCE = 8;

/** What came of the work for an item. */
export type Tried<Item, T> = { readonly item: Item } & ({ readonly done: T } | { readonly refused: ApiError });

/**
 * Does work for each item, whatever comes of the others.
 * @returns the results in the order of the items
 * @throws an error that is no answer of the API
 */
export async function tryEach<Item, T>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<T>,
): Promise<readonly Tried<Item, T>[]> {
  const limit = pLimit(AT_ONCE);
  return await Promise.all(
    items.map(
      async (item, index) =>
        await limit(async () => ({ item, ...(await tryOne(async () => await work(item, index))) })),
    ),
  );
}

async function tryOne<T>(work: () => Promise<T>): Promise<{ readonly done: T } | { readonly refused: ApiError }> {
  try {
    return { done: await work() };
  } catch (error) {
    if (error instanceof ApiError) return { refused: error };
    throw error;
  }
}
