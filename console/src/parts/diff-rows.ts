import { create } from 'jsondiffpatch';
import type { Delta } from 'jsondiffpatch';

/** One difference between two JSON values. */
export interface DiffRow {
  /** A JSON Pointer (RFC 6901); empty for the whole value. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

const differ = create({ arrays: { detectMove: false } });

/** Returns the differences between two JSON values. */
export function diffRows(before: unknown, after: unknown): readonly DiffRow[] {
  return rowsOf(differ.diff(before, after), '');
}

function rowsOf(delta: Delta, path: string): readonly DiffRow[] {
  if (delta === undefined) return [];
  if (Array.isArray(delta)) return [toRow(delta, path)];
  return Object.entries(delta)
    .filter(([name]) => name !== '_t')
    .flatMap(([name, inner]) => rowsOf(inner, `${path}/${toToken(name, delta)}`));
}

/** A delta is `[after]`, `[before, after]` or `[before, 0, 0]`. */
function toRow(delta: readonly unknown[], path: string): DiffRow {
  if (delta.length === 1) return { path, kind: 'added', after: delta[0] };
  if (delta.length === 2) return { path, kind: 'changed', before: delta[0], after: delta[1] };
  return { path, kind: 'removed', before: delta[0] };
}

/** In deltas of arrays, `_3` is index 3 of the array before. */
function toToken(name: string, delta: object): string {
  const isOld = '_t' in delta && name.startsWith('_');
  return (isOld ? name.slice(1) : name).replaceAll('~', '~0').replaceAll('/', '~1');
}
