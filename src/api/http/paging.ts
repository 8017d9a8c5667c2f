import { createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../../graph/values/index.ts';
import type { Page, PageRequest, Position } from '../../store/page.ts';
import { ApiError } from './errors.ts';

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

/** Writes and reads cursors of lists. Clients can't read them, and each is valid for its own list only. */
export interface Cursors {
  /** @param list identifies the list: its route, tenant and filters */
  write(list: readonly unknown[], position: unknown): string;
  /** @throws ApiError `INVALID_CURSOR` for a forged cursor, or one of another list */
  read(list: readonly unknown[], cursor: string): unknown;
}

/** @param secret signs the cursors; all API processes share it */
export function createCursors(secret: string): Cursors {
  const sign = (list: readonly unknown[], body: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([list, body]))
      .digest()
      .subarray(0, 16);
  return {
    write(list, position) {
      const body = Buffer.from(JSON.stringify(position)).toString('base64url');
      return `${body}.${sign(list, body).toString('base64url')}`;
    },
    read(list, cursor) {
      const [body = '', signature = '', ...more] = cursor.split('.');
      const expected = Buffer.from(sign(list, body).toString('base64url'));
      const given = Buffer.from(signature);
      if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
        throw new ApiError('INVALID_CURSOR', 'The cursor does not belong to this list; begin again without one');
      }
      return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown;
    },
  };
}
