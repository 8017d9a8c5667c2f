import type { DiffRow } from '../../../diff/diff-rows.ts';
import type { NodeMark } from '../../../graph/diagram-node.tsx';
import { changedNodes } from './changed-nodes.ts';

/** Marks the nodes of a version that differ from those of another. */
export function nodeMarks(rows: readonly DiffRow[]): ReadonlyMap<string, NodeMark> {
  return new Map([...changedNodes(rows)].map(([id, change]) => [id, { look: change, body: <>{change}</> }]));
}
