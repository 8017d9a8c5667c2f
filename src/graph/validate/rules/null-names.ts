import type { ExpressionName } from '../../expression/names.ts';
import type { SubjectEdge, SubjectExpression, SubjectNode, ValidationSubject } from '../subject.ts';

/** Names that are always null where an expression stands, each with the reason and what to do about it. */
export type NullNames = Readonly<Partial<Record<ExpressionName, NullName>>>;

interface NullName {
  readonly reason: string;
  readonly hint: string;
}

const IN_EDGE: NullName = { reason: 'an edge has no item', hint: 'Write what it needs to a channel, and read that' };

const NULL_IN_EDGES: NullNames = { item: IN_EDGE, index: IN_EDGE };

/** Returns the names that are always null in an expression of an edge. The route of a `forEach` is of one element. */
export function nullNamesInEdge({ kind, path }: SubjectEdge, expression: SubjectExpression): NullNames {
  return kind === 'forEach' && expression.path === `${path}/route` ? {} : NULL_IN_EDGES;
}

const OUTSIDE_FOR_EACH: NullName = {
  reason: 'no edge with forEach leads to this node',
  hint: 'Lead to the node by an edge with `forEach`',
};
const WITHOUT_RESULT: NullName = { reason: 'this node has no result', hint: 'Write in the node that has the result' };

/**
 * Returns a function that finds the names that are always null in the expressions of a node. Of a node without an edge to
 * it, nothing is known.
 */
export function findNullNames({ edges }: ValidationSubject): (node: SubjectNode) => NullNames {
  const ofElements = new Set(
    edges.flatMap(({ kind, targets }) => (kind === 'forEach' ? targets.map(({ name }) => name) : [])),
  );
  const targets = new Set(edges.flatMap((edge) => edge.targets.map(({ name }) => name)));
  return ({ id, description }) => ({
    ...(targets.has(id) && !ofElements.has(id) && { item: OUTSIDE_FOR_EACH, index: OUTSIDE_FOR_EACH }),
    ...(description.hasNoResult && { result: WITHOUT_RESULT }),
  });
}
