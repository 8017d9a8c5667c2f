import { REPLACED_METHODS, replacementName } from './functions.ts';
import { spend } from './meter.ts';
import { sizeOf, weightOf } from './weight.ts';

/** What we use of the CEL library's syntax tree. `meta` holds a node's `check` and `evaluate`; `alternate` replaces an expanded macro. */
export interface SyntaxNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: {
    readonly check: Check;
    readonly evaluate: Evaluate;
    readonly alternate?: SyntaxNode;
    readonly macro?: unknown;
  };
  setMeta(key: 'check', check: Check): unknown;
  setMeta(key: 'evaluate', evaluate: Evaluate): unknown;
}
type Check = (checker: { dynType: unknown }, node: SyntaxNode, scope: unknown) => unknown;
type Evaluate = (evaluator: unknown, node: SyntaxNode, scope: unknown) => unknown;

const READS_OPERANDS: ReadonlySet<string> = new Set(['==', '!=', 'in', '<', '<=', '>', '>=', 'call', 'rcall', '+']);
const MAKES_VALUES: ReadonlySet<string> = new Set(['call', 'rcall', '+', 'list', 'map']);
const LEAVES: ReadonlySet<string> = new Set(['value', 'id', 'accuValue']);

export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'setMeta' in value;
}

/** The nodes right below one; of an expanded macro its expansion. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return node.meta.alternate ? [node.meta.alternate] : nodesIn(node.args);
}

function nodesIn(value: unknown): SyntaxNode[] {
  if (isSyntaxNode(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).filter(isSyntaxNode);
}

/** All nodes of a tree, each once. */
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

/** Before the type check: our methods in place of the library's, and branches of `?:` that may differ in type. */
export function adapt(nodes: Iterable<SyntaxNode>): void {
  for (const node of nodes) {
    if (node.op === 'rcall' && Array.isArray(node.args)) replaceMethod(node.args);
    if (node.op === '?:') allowMixedBranches(node);
  }
}

function replaceMethod(call: unknown[]): void {
  const [method] = call;
  if (typeof method === 'string' && REPLACED_METHODS.has(method)) call[0] = replacementName(method);
}

function allowMixedBranches(node: SyntaxNode): void {
  const { check } = node.meta;
  node.setMeta('check', (checker, ast, scope) => {
    try {
      return check(checker, ast, scope);
    } catch (error) {
      if (isCode(error, 'incompatible_ternary_branches')) return checker.dynType;
      throw error;
    }
  });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** After the type check: every node pays for what it makes, and operators and calls for what they read. */
export function meterNodes(nodes: Iterable<SyntaxNode>): void {
  const read = new Set<SyntaxNode>();
  for (const node of nodes) if (READS_OPERANDS.has(node.op)) childrenOf(node).forEach((child) => read.add(child));
  for (const node of nodes) {
    if (read.has(node)) payFor(node, weightOf);
    else if (MAKES_VALUES.has(node.op)) payFor(node, sizeOf);
    else if (!LEAVES.has(node.op)) payFor(node, () => 1);
  }
}

function payFor(node: SyntaxNode, price: (value: unknown) => number): void {
  const { evaluate, alternate, macro } = node.meta;
  if (alternate !== undefined || macro !== undefined) return;
  node.setMeta('evaluate', (evaluator, ast, scope) => {
    const value = evaluate(evaluator, ast, scope);
    spend(price(value));
    return value;
  });
}
