import type { Environment } from '@marcbachmann/cel-js';
import { isContainer } from '../values/json.ts';

/** A node of the CEL library's syntax tree, with the members that this layer uses. */
export interface SyntaxNode {
  readonly op: string;
  readonly args: unknown;
  /** The indexes in the source between which the node stands. */
  readonly start: number;
  readonly end: number;
  /** The type of its values; set by the type check. */
  checkedType?: unknown;
  readonly meta: {
    readonly check: CheckNode;
    readonly evaluate: EvaluateNode;
    /** The expansion of a macro. */
    readonly alternate?: SyntaxNode;
    readonly macro?: unknown;
  };
  setMeta(key: 'check', check: CheckNode): unknown;
  setMeta(key: 'evaluate', evaluate: EvaluateNode): unknown;
}

type CheckNode = (checker: TypeChecker, node: SyntaxNode, scope: unknown) => unknown;

interface TypeChecker {
  readonly dynType: unknown;
  /** Returns the type of a node, and stores it in `checkedType`. */
  check(node: SyntaxNode, scope: unknown): unknown;
}

type EvaluateNode = (evaluator: unknown, node: SyntaxNode, scope: unknown) => unknown;

export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return isContainer(value) && 'op' in value && 'setMeta' in value;
}

/** Returns the child nodes of a node; for a macro, its expansion. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return node.meta.alternate ? [node.meta.alternate] : syntaxNodesIn(node.args);
}

function syntaxNodesIn(value: unknown): SyntaxNode[] {
  if (isSyntaxNode(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(syntaxNodesIn);
  return isContainer(value) ? Object.values(value).filter(isSyntaxNode) : [];
}

/** Returns all nodes of a tree. The library shares nodes between branches, so each is returned once. */
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

/*
 * JSON has one kind of number, CEL has int and double: JSON numbers are doubles, integer literals are ints. This file
 * lets both be mixed in arithmetic, comparison and division (docs/reference/expressions.md).
 */

/** Registers arithmetic of int with double. Its result is a double. */
export function registerNumbers(environment: Environment): void {
  for (const [operator, apply] of Object.entries(ARITHMETIC)) {
    for (const [left, right] of MIXED_OPERANDS) {
      environment.registerOperator(`${left} ${operator} ${right}: double`, (a: number | bigint, b: number | bigint) =>
        apply(Number(a), Number(b)),
      );
    }
  }
  environment.registerOperator('double % double: double', integerRemainder);
}

/** True for operators that test values for equality. */
export function isComparison({ op }: SyntaxNode): boolean {
  return EQUALITY_OPERATORS.has(op);
}

/**
 * Lets numbers of both kinds be equal, because CEL's types refuse `1 == 1.0`. Where the types of both sides differ only
 * in the kind of number, the left side is typed as `dyn`. Must run before the type check.
 */
export function compareNumbersByValue(comparison: SyntaxNode): void {
  const { check } = comparison.meta;
  comparison.setMeta('check', (checker, ast, scope) => {
    const [left, right] = childrenOf(comparison);
    if (left && right) {
      const [leftType, rightType] = [String(checker.check(left, scope)), String(checker.check(right, scope))];
      const comparedType = comparison.op === 'in' ? `list<${leftType}>` : leftType;
      if (differInNumbers(comparedType, rightType)) left.checkedType = checker.dynType;
    }
    return check(checker, ast, scope);
  });
}

/**
 * True for a division of JSON numbers. CEL's integer division still applies to int literals, sizes and results of
 * these.
 */
export function isJsonDivision(node: SyntaxNode): boolean {
  return node.op === '/' && !isIntegral(node);
}

/** Types the int operands of a JSON division as `dyn`. Must run before the type check. */
export function widenOperands(division: SyntaxNode): void {
  for (const operand of childrenOf(division)) {
    const { check } = operand.meta;
    operand.setMeta('check', (checker, ast, scope) => {
      const type = check(checker, ast, scope);
      return String(type) === 'int' ? checker.dynType : type;
    });
  }
}

/** Makes a JSON division divide doubles, after the type check. Division by zero throws: JSON has no infinity. */
export function divideJsonNumbers(division: SyntaxNode): void {
  for (const operand of childrenOf(division)) {
    convertResult(operand, (value) => (typeof value === 'bigint' ? Number(value) : value));
  }
  convertResult(division, (value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('division by zero');
    return value;
  });
}

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '%': integerRemainder,
};

const MIXED_OPERANDS = [
  ['double', 'int'],
  ['int', 'double'],
] as const;

function integerRemainder(a: number, b: number): number {
  if (b === 0) throw new RangeError('modulo by zero');
  return a % b;
}

const EQUALITY_OPERATORS: ReadonlySet<string> = new Set(['==', '!=', 'in']);

function differInNumbers(one: string, other: string): boolean {
  return one !== other && withOneNumber(one) === withOneNumber(other);
}

function withOneNumber(type: string): string {
  return type.replaceAll(/\b(?:int|double)\b/g, 'number');
}

const INTEGRAL_OPERATORS: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '-_']);

/** True for int literals, sizes, and arithmetic that uses only these. */
function isIntegral(node: SyntaxNode): boolean {
  if (node.op === 'value') return typeof node.args === 'bigint';
  if (node.op === 'call' || node.op === 'rcall') return Array.isArray(node.args) && node.args[0] === 'size';
  return INTEGRAL_OPERATORS.has(node.op) && childrenOf(node).every(isIntegral);
}

function convertResult(node: SyntaxNode, convert: (value: unknown) => unknown): void {
  const { evaluate } = node.meta;
  node.setMeta('evaluate', (evaluator, ast, scope) => convert(evaluate(evaluator, ast, scope)));
}
