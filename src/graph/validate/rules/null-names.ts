import type { ExpressionName } from '../../expression/names.ts';
import type { ValidationSubject, SubjectNode } from '../subject.ts';

/** Names that are always null where an expression stands, each with the reason and what to do about it. */
export type NullNames = Readonly<Partial<Record<ExpressionName, NullName>>>;

interface NullName {
  readonly reason: string;
  readonly hint: string;
}

const IN_EDGE: NullName = { reason: 'an edge has no item', hint: 'Write what it needs to a channel, and read that' };

/** The names that are always null in the expressions of edges. */
export const NULL_IN_EDGES: NullNames = { item: IN_EDGE, index: IN_EDGE };

const OUTSIDE_FOR_EACH: NullName = {
  reason: 'no edge with forEach leads to this node',
  hint: 'Lead to the node by an edge with `forEach`',
};
const OF_SET: NullName = { reason: 'a set node has no result', hint: 'Write in the node that has the result' };

/** Returns a function that finds the names that are always null in the expressions of a node. */
export function findNullNames({ edges }: ValidationSubject): (node: SubjectNode) => NullNames {
  const ofElements = new Set(
    edges.flatMap(({ kind, targets }) => (kind === 'forEach' ? targets.map(({ name }) => name) : [])),
  );
  return ({ id, type }) => ({
    ...(!ofElements.has(id) && { item: OUTSIDE_FOR_EACH, index: OUTSIDE_FOR_EACH }),
    ...(type === 'set' && { result: OF_SET }),
  });
}
