import type { Environment } from '@marcbachmann/cel-js';
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

/** JSON numbers are CEL doubles and literals CEL integers; these operators, and division, make them one kind of number. */
const OPERATORS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '%': remainder,
};

const MIXED = [
  ['double', 'int'],
  ['int', 'double'],
] as const;

export function registerNumbers(environment: Environment): void {
  for (const [operator, apply] of Object.entries(OPERATORS)) {
    for (const [left, right] of MIXED) {
      environment.registerOperator(`${left} ${operator} ${right}: double`, (a: number | bigint, b: number | bigint) =>
        apply(Number(a), Number(b)),
      );
    }
  }
  environment.registerOperator('double % double: double', remainder);
}

function remainder(a: number, b: number): number {
  if (b === 0) throw new RangeError('modulo by zero');
  return a % b;
}
