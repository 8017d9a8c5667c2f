import { isJsonList, isJsonObject, own } from './json.ts';
import type { Json } from './json.ts';

/** Writes a path as a JSON Pointer (RFC 6901). */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${escapeToken(String(part))}`).join('');
}

/** In characters. Longer pointers are useless to people. */
export const MAX_POINTER = 1_000;

/** Like `toPointer`, but a pointer that would be too long ends at an outer value. */
export function toShortPointer(path: readonly (string | number)[]): string {
  let pointer = '';
  for (const part of path) {
    const key = String(part);
    const token = key.length < MAX_POINTER ? escapeToken(key) : key;
    if (pointer.length + token.length >= MAX_POINTER) return pointer;
    pointer += `/${token}`;
  }
  return pointer;
}

/** Reads a JSON Pointer (RFC 6901) as a path. Text before the first slash is skipped. */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** One part of a pointer (RFC 6901, 3). */
function escapeToken(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The keys and indexes that lead to a part of a value. */
export type Path = readonly (string | number)[];

/** Returns the part of a value at a path; `undefined` if there is none. */
export function valueAt(value: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((found, part) => {
    if (isJsonList(found)) return found[Number(part)];
    return isJsonObject(found) ? own(found, String(part)) : undefined;
  }, value);
}
