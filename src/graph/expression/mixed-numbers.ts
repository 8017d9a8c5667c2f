import { childrenOf } from './syntax-node.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** Operators that ask whether values are equal. */
const COMPARING: ReadonlySet<string> = new Set(['==', '!=', 'in']);

export function isComparison({ op }: SyntaxNode): boolean {
  return COMPARING.has(op);
}

/**
 * Before the type check: CEL's types refuse `1 == 1.0`, but JSON numbers are one kind of number. Where the types of both
 * sides differ in nothing else, the left one is left open until it is evaluated; then numbers are equal by their value.
 */
export function compareNumbersByValue(comparison: SyntaxNode): void {
  const { check } = comparison.meta;
  comparison.setMeta('check', (checker, ast, scope) => {
    const [left, right] = childrenOf(comparison);
    if (left && right) {
      const [one, other] = [String(checker.check(left, scope)), String(checker.check(right, scope))];
      if (differInNumbers(comparison.op === 'in' ? `list<${one}>` : one, other)) left.checkedType = checker.dynType;
    }
    return check(checker, ast, scope);
  });
}

function differInNumbers(one: string, other: string): boolean {
  return one !== other && withOneNumber(one) === withOneNumber(other);
}

function withOneNumber(type: string): string {
  return type.replaceAll(/\b(?:int|double)\b/g, 'number');
}
