import { divideJsonNumbers, isJsonDivision, openOperands, compareNumbersByValue, isComparison } from './numbers.ts';
import { REPLACED_METHODS, replacementName } from './functions.ts';
import { spend, sizeOf, weightOf } from './meter.ts';
import { childrenOf } from './syntax-node.ts';
import type { SyntaxNode } from './syntax-node.ts';

const READS_OPERANDS: ReadonlySet<string> = new Set(['==', '!=', 'in', '<', '<=', '>', '>=', 'call', 'rcall', '+']);
const MAKES_VALUES: ReadonlySet<string> = new Set(['call', 'rcall', '+', 'list', 'map']);
const LEAVES: ReadonlySet<string> = new Set(['value', 'id', 'accuValue']);

/** Before the type check: our methods in place of the library's, branches of `?:` that may differ in type, JSON's numbers. */
export function beforeCheck(nodes: ReadonlySet<SyntaxNode>): void {
  for (const node of nodes) {
    if (node.op === 'rcall' && Array.isArray(node.args)) replaceMethod(node.args);
    if (node.op === '?:') allowMixedBranches(node);
    if (isJsonDivision(node)) openOperands(node);
    if (isComparison(node)) compareNumbersByValue(node);
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

/** After the type check: JSON's division, and every node pays for what it makes, and operators and calls for what they read. */
export function afterCheck(nodes: ReadonlySet<SyntaxNode>): void {
  for (const node of nodes) if (isJsonDivision(node)) divideJsonNumbers(node);
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
