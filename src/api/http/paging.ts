import { createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../../graph/values/index.ts';
import type { Page, PageRequest, Position } from '../../store/page.ts';
import { ApiError } from './errors.ts';

/** The page that a request asks for. */
interface RequestedPage {
  /** Identifies the list by route, tenant and filters; a cursor of one list is invalid for every other. */
  readonly list: readonly unknown[];
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Loads a page and creates the cursor of the next page. @throws ApiError `INVALID_CURSOR` */
export async function readPageByCursor<T>(
  cursors: Cursors,
  { list, limit, cursor }: RequestedPage,
  load: (page: PageRequest) => Promise<Page<T>>,
): Promise<{ items: readonly T[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : toPagePosition(cursors.read(list, cursor));
  const { items, next } = await load({ limit, after });
  return { items, nextCursor: next && cursors.write(list, next) };
}

function toPagePosition(value: unknown): Position {
  if (!isJsonObject(value) || typeof value['at'] !== 'string' || typeof value['id'] !== 'string')
    throw new TypeError('A signed cursor holds no position');
  return { at: value['at'], id: value['id'] };
}

/** Creates and verifies cursors. They are opaque to clients, and each is valid for its own list only. */
export interface Cursors {
  /** @param list identifies the list by route, tenant and filters */
  write(list: readonly unknown[], position: unknown): string;
  /** @throws ApiError `INVALID_CURSOR` for a forged cursor or a cursor of another list */
  read(list: readonly unknown[], cursor: string): unknown;
}

/** @param secret signs the cursors and is shared by all API processes */
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
