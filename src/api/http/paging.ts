import { isJsonObject } from '../../graph/values/index.ts';
import type { Page, PageRequest, Position } from '../../store/page.ts';
import type { Cursors } from './cursor.ts';

/** The page of a list that a request asks for. */
interface AskedPage {
  /** Identifies the list with its tenant and filters; a cursor is valid for no other list. */
  readonly list: readonly unknown[];
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Loads a page and writes the cursor of the next.
 * @throws ApiError `INVALID_CURSOR`
 */
export async function readPage<T>(
  cursors: Cursors,
  { list, limit, cursor }: AskedPage,
  load: (page: PageRequest) => Promise<Page<T>>,
): Promise<{ items: readonly T[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : toPosition(cursors.read(list, cursor));
  const { items, next } = await load({ limit, after });
  return { items, nextCursor: next && cursors.write(list, next) };
}

function toPosition(value: unknown): Position {
  if (!isJsonObject(value) || typeof value['at'] !== 'string' || typeof value['id'] !== 'string')
    throw new TypeError('A signed cursor holds no position');
  return { at: value['at'], id: value['id'] };
}
