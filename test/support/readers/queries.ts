import { parser } from '@prometheus-io/lezer-promql';

/** A metric that a query reads, and the labels that it uses. */
export interface ReadMetric {
  readonly name: string;
  readonly labels: readonly string[];
}

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** Returns the metrics and labels that a PromQL query needs. @throws if it is invalid */
export function readQuery(query: string): readonly ReadMetric[] {
  const textOf = ({ from, to }: SyntaxNode): string => query.slice(from, to);
  const { topNode } = parser.parse(query);
  const grouped = (selector: SyntaxNode): readonly string[] =>
    parentsOf(selector).flatMap((parent) =>
      parent.name === 'AggregateExpr' ? namedBelow(parent, 'AggregateModifier').flatMap(labelsIn).map(textOf) : [],
    );
  if (namedBelow(topNode, '⚠').length > 0) throw new SyntaxError(`This is no query: ${query}`);
  return namedBelow(topNode, 'VectorSelector').map((selector) => ({
    name: namedBelow(selector, 'Identifier').map(textOf).join(),
    labels: [...labelsIn(selector).map(textOf), ...grouped(selector)],
  }));
}

const labelsIn = (node: SyntaxNode): readonly SyntaxNode[] => namedBelow(node, 'LabelName');

function parentsOf({ parent }: SyntaxNode): readonly SyntaxNode[] {
  return parent ? [parent, ...parentsOf(parent)] : [];
}

/** The descendants of a node with a given name; of inner aggregations only their own modifiers are included. */
function namedBelow(node: SyntaxNode, name: string): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.type.isError && name === '⚠') found.push(child);
    if (child.name === name) found.push(child);
    else if (name !== 'AggregateModifier') found.push(...namedBelow(child, name));
  }
  return found;
}
