import { isJsonObject } from '../graph/json.ts';
import type { PageRequest, Position } from '../store/page.ts';
import type { Cursors } from './cursor.ts';

/** The page of a list that a request asks for. */
export interface RequestedPage {
  readonly request: PageRequest;
  readonly cursorOf: (next: Position | null) => string | null;
}

/**
 * @param list what the list is, its tenant and filters included: a cursor is good for nothing else
 * @throws ApiError `INVALID_CURSOR`
 */
export function readPage(
  cursors: Cursors,
  list: readonly unknown[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): RequestedPage {
  const after = cursor === undefined ? undefined : toPosition(cursors.read(list, cursor));
  return { request: { limit, after }, cursorOf: (next) => next && cursors.write(list, next) };
}

function toPosition(value: unknown): Position {
  if (!isJsonObject(value) || typeof value['at'] !== 'string' || typeof value['id'] !== 'string')
    throw new TypeError('A signed cursor holds no position');
  return { at: value['at'], id: value['id'] };
}
