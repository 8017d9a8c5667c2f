import pLimit from 'p-limit';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError, unavailable } from '../http/errors.ts';

/** The items of one request that are worked on at a time; other requests need connections, too. */
const AT_ONCE = 8;

/** What came of the work for an item. */
export type Tried<Item, T> = { readonly item: Item } & ({ readonly done: T } | { readonly refused: ApiError });

type TryDeps = Pick<ApiDeps, 'logger'>;

interface ManyItems<Item> {
  readonly items: readonly Item[];
  /** What the log has of an item: an id. */
  readonly subjectOf: (item: Item) => string;
}

/**
 * Does work for each item, whatever comes of the others. Nothing more is begun once the database is away.
 * @returns the results in the order of the items
 */
export async function tryEach<Item, T>(
  { logger }: TryDeps,
  { items, subjectOf }: ManyItems<Item>,
  work: (item: Item, index: number) => Promise<T>,
): Promise<readonly Tried<Item, T>[]> {
  const limit = pLimit(AT_ONCE);
  let away: ApiError | null = null;
  const tryOne = async (item: Item, index: number): Promise<Tried<Item, T>> => {
    if (away) return { item, refused: away };
    try {
      return { item, done: await work(item, index) };
    } catch (error) {
      const refused = toRefusal(error);
      if (isDatabaseAway(error)) away = refused;
      if (refused.cause !== undefined)
        logger.warn({ error: refused.cause, subject: subjectOf(item) }, 'a part of a request has failed');
      return { item, refused };
    }
  };
  return await Promise.all(items.map(async (item, index) => await limit(tryOne, item, index)));
}

function toRefusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isDatabaseAway(error)) return unavailable('The database', error);
  return new ApiError('INTERNAL', 'The server failed; its log says why', { cause: error });
}

/** A part that was not done, as answers tell of it. */
interface Failed {
  readonly code: string;
  readonly mayTakeEffect?: boolean;
}

/** True if the same request may do more than it has: its key must not keep the answer. */
export function mayBeDoneLater({ code, mayTakeEffect = false }: Failed): boolean {
  return mayTakeEffect || code === 'UNAVAILABLE' || code === 'INTERNAL';
}
