import type { SyntaxNode } from './syntax-node.ts';
import { childrenOf } from './syntax-node.ts';

/*
 * JSON numbers are one kind of number: `/` is CEL's integer division only between whole-number literals and sizes, and
 * what is counted from them (specification, "Expressions"). Anything else divides as JSON numbers, which know no infinity.
 */

const COUNTING: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '-_']);

export function isJsonDivision(node: SyntaxNode): boolean {
  return node.op === '/' && !isCounted(node);
}

/** Before the type check: what CEL holds as integers is left open until it is evaluated. */
export function openOperands(division: SyntaxNode): void {
  for (const operand of childrenOf(division)) {
    const { check } = operand.meta;
    operand.setMeta('check', (checker, ast, scope) => {
      const type = check(checker, ast, scope);
      return String(type) === 'int' ? checker.dynType : type;
    });
  }
}

/** After the type check. */
export function divideJsonNumbers(division: SyntaxNode): void {
  for (const operand of childrenOf(division)) {
    convert(operand, (value) => (typeof value === 'bigint' ? Number(value) : value));
  }
  convert(division, (value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('division by zero');
    return value;
  });
}

function convert(node: SyntaxNode, change: (value: unknown) => unknown): void {
  const { evaluate } = node.meta;
  node.setMeta('evaluate', (evaluator, ast, scope) => change(evaluate(evaluator, ast, scope)));
}

function isCounted(node: SyntaxNode): boolean {
  if (node.op === 'value') return typeof node.args === 'bigint';
  if (node.op === 'call' || node.op === 'rcall') return Array.isArray(node.args) && node.args[0] === 'size';
  return COUNTING.has(node.op) && childrenOf(node).every(isCounted);
}
