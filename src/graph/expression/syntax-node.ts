/** A node of the CEL library's syntax tree, as far as this layer uses it. */
export interface SyntaxNode {
  readonly op: string;
  readonly args: unknown;
  /** The type of its values; set by the type check. */
  checkedType?: unknown;
  readonly meta: {
    readonly check: Check;
    readonly evaluate: Evaluate;
    /** The expansion of a macro. */
    readonly alternate?: SyntaxNode;
    readonly macro?: unknown;
  };
  setMeta(key: 'check', check: Check): unknown;
  setMeta(key: 'evaluate', evaluate: Evaluate): unknown;
}

type Check = (checker: TypeChecker, node: SyntaxNode, scope: unknown) => unknown;

interface TypeChecker {
  readonly dynType: unknown;
  /** Returns the type of a node, and stores it in `checkedType`. */
  check(node: SyntaxNode, scope: unknown): unknown;
}

type Evaluate = (evaluator: unknown, node: SyntaxNode, scope: unknown) => unknown;

export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'setMeta' in value;
}

/** The child nodes; of a macro, its expansion. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return node.meta.alternate ? [node.meta.alternate] : nodesIn(node.args);
}

function nodesIn(value: unknown): SyntaxNode[] {
  if (isSyntaxNode(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).filter(isSyntaxNode);
}

/** All nodes of a tree. The library shares nodes between branches, so each counts once. */
export function allNodes(root: SyntaxNode): ReadonlySet<SyntaxNode> {
  const seen = new Set<SyntaxNode>();
  const visit = (node: SyntaxNode): void => {
    if (seen.has(node)) return;
    seen.add(node);
    childrenOf(node).forEach(visit);
  };
  visit(root);
  return seen;
}
