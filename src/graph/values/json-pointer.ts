/** Writes a path as a JSON Pointer (RFC 6901). */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${escapeToken(String(part))}`).join('');
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
