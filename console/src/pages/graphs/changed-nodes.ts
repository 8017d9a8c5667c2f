import type { DiffRow } from '../../parts/diff-rows.ts';

/** Returns the nodes that are new or changed in the later version. */
export function changedNodes(rows: readonly DiffRow[]): ReadonlyMap<string, 'added' | 'changed'> {
  const changes = new Map<string, 'added' | 'changed'>();
  for (const { path, kind } of rows) {
    const [section, token, ...rest] = path.split('/').slice(1);
    if (section !== 'nodes' || token === undefined) continue;
    const isWhole = rest.length === 0;
    if (!isWhole || kind === 'changed') changes.set(token, 'changed');
    else if (kind === 'added') changes.set(token, 'added');
  }
  return changes;
}
