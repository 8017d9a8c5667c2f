import pLimit from 'p-limit';
import type { ApiDeps } from '../deps.ts';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import { ApiError, unavailable } from '../http/errors.ts';

/** The most items of one request that are processed concurrently, so that connections are left for other requests. */
const TRIED_AT_ONCE = 8;

/** The result of processing an item. */
export type ItemResult<Item, T> = { readonly item: Item } & ({ readonly done: T } | { readonly refused: ApiError });

/**
 * Processes each item independently of the others. No further item is begun once the database is unavailable.
 * @param subjectOf returns the id of an item for the log
 * @returns the results in the order of the items
 */
export async function tryEach<Item, T>(
  { logger }: Pick<ApiDeps, 'logger'>,
  items: readonly Item[],
  subjectOf: (item: Item) => string,
  work: (item: Item, index: number) => Promise<T>,
): Promise<readonly ItemResult<Item, T>[]> {
  const limit = pLimit(TRIED_AT_ONCE);
  let away: ApiError | null = null;
  const tryOne = async (item: Item, index: number): Promise<ItemResult<Item, T>> => {
    if (away) return { item, refused: away };
    try {
      return { item, done: await work(item, index) };
    } catch (error) {
      const refused = toItemError(error);
      if (isDatabaseAway(error)) away = refused;
      if (refused.cause !== undefined)
        logger.warn({ error: refused.cause, subject: subjectOf(item) }, 'a part of a request has failed');
      return { item, refused };
    }
  };
  return await Promise.all(items.map(async (item, index) => await limit(tryOne, item, index)));
}

function toItemError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isDatabaseAway(error)) return unavailable('The database', error);
  return new ApiError('INTERNAL', 'The server failed; its log says why', { cause: error });
}

/** An item that failed, as the answer reports it. */
interface FailedItem {
  readonly code: string;
  readonly mayTakeEffect?: boolean | undefined;
}

/** Returns true if repeating the request may do more, so that the answer must not be stored under its key. */
export function mayBeDoneLater({ code, mayTakeEffect = false }: FailedItem): boolean {
  return mayTakeEffect || code === 'UNAVAILABLE' || code === 'INTERNAL';
}
