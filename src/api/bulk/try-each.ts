import pLimit from 'p-limit';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError, unavailable } from '../http/errors.ts';

/** The items of one request that are worked on at a time; other requests need connections, too. */
const AT_ONCE = 8;

/** What came of the work for an item. */
export type Tried<Item, T> = { readonly item: Item } & ({ readonly done: T } | { readonly refused: ApiError });

type TryDeps = Pick<ApiDeps, 'logger'>;

/** Does work for each item, whatever comes of the others. @returns the results in the order of the items */
export async function tryEach<Item, T>(
  deps: TryDeps,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<T>,
): Promise<readonly Tried<Item, T>[]> {
  const limit = pLimit(AT_ONCE);
  const tryOne = async (item: Item, index: number): Promise<Tried<Item, T>> => {
    try {
      return { item, done: await work(item, index) };
    } catch (error) {
      return { item, refused: toRefusal(deps, item, error) };
    }
  };
  return await Promise.all(items.map(async (item, index) => await limit(tryOne, item, index)));
}

function toRefusal({ logger }: TryDeps, item: unknown, error: unknown): ApiError {
  const refused = isDatabaseAway(error) ? unavailable('The database', error) : error;
  if (!(refused instanceof ApiError)) {
    logger.error({ error, item }, 'a part of a request failed');
    return new ApiError('INTERNAL', 'The server failed; its log says why', { cause: error });
  }
  if (refused.cause !== undefined)
    logger.warn({ error: refused.cause, item }, 'a part of a request can not be done now');
  return refused;
}
