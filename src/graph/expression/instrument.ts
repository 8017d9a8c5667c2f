import { REPLACED_METHODS, replacementName } from './functions.ts';
import { sizeOf, spend, weightOf } from './meter.ts';
import { compareNumbersByValue, divideJsonNumbers, isComparison, isJsonDivision, widenOperands } from './numbers.ts';
import { childrenOf } from './syntax-node.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** Adapts a syntax tree before its type check: own methods, branches of `?:` of different types, JSON numbers. */
export function prepareForCheck(nodes: ReadonlySet<SyntaxNode>): void {
  for (const node of nodes) {
    if (node.op === 'rcall' && Array.isArray(node.args)) replaceMethod(node.args);
    if (node.op === '?:') allowMixedBranches(node);
    if (isJsonDivision(node)) widenOperands(node);
    if (isComparison(node)) compareNumbersByValue(node);
  }
}

/** Adapts a checked syntax tree: divisions of JSON numbers, and a cost for each node, by its value or its operands. */
export function instrument(nodes: ReadonlySet<SyntaxNode>): void {
  for (const node of nodes) if (isJsonDivision(node)) divideJsonNumbers(node);
  const operands = new Set<SyntaxNode>();
  for (const node of nodes) if (READS_OPERANDS.has(node.op)) childrenOf(node).forEach((child) => operands.add(child));
  for (const node of nodes) {
    if (operands.has(node)) chargeFor(node, weightOf);
    else if (MAKES_VALUES.has(node.op)) chargeFor(node, sizeOf);
    else if (!LEAVES.has(node.op)) chargeFor(node, () => 1);
  }
}

const READS_OPERANDS: ReadonlySet<string> = new Set(['==', '!=', 'in', '<', '<=', '>', '>=', 'call', 'rcall', '+']);
const MAKES_VALUES: ReadonlySet<string> = new Set(['call', 'rcall', '+', 'list', 'map']);
const LEAVES: ReadonlySet<string> = new Set(['value', 'id', 'accuValue']);

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
      if (hasCode(error, 'incompatible_ternary_branches')) return checker.dynType;
      throw error;
    }
  });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function chargeFor(node: SyntaxNode, priceOf: (value: unknown) => number): void {
  const { evaluate, alternate, macro } = node.meta;
  if (alternate !== undefined || macro !== undefined) return;
  node.setMeta('evaluate', (evaluator, ast, scope) => {
    const value = evaluate(evaluator, ast, scope);
    spend(priceOf(value));
    return value;
  });
}
