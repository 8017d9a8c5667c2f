import { spend } from '../values/meter.ts';
import { REPLACED_FUNCTIONS, REPLACED_METHODS, replacementName } from './functions.ts';
import { compareNumbersByValue, divideJsonNumbers, isComparison, isJsonDivision, widenOperands } from './numbers.ts';
import { KEY_PRICE, sizeOf, sizeOfMap, weightOf } from './prices.ts';
import { childrenOf } from './syntax-node.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** Adapts a syntax tree before its type check: own methods, branches of `?:` of different types, JSON numbers. */
export function prepareForCheck(nodes: ReadonlySet<SyntaxNode>): void {
  for (const node of nodes) {
    if (node.op === 'rcall' && Array.isArray(node.args)) replaceCall(node.args, REPLACED_METHODS);
    if (node.op === 'call' && Array.isArray(node.args)) replaceCall(node.args, REPLACED_FUNCTIONS);
    if (node.op === '?:') allowMixedBranches(node);
    if (isJsonDivision(node)) widenOperands(node);
    if (isComparison(node)) compareNumbersByValue(node);
  }
}

/** Adapts a checked syntax tree: divisions of JSON numbers, and a cost for each node, by its value or its operands. */
export function instrument(nodes: ReadonlySet<SyntaxNode>): void {
  for (const node of nodes) if (isJsonDivision(node)) divideJsonNumbers(node);
  const operands = operandsIn(nodes);
  for (const node of nodes) {
    const price = operands.has(node) ? weightOf : priceFor(node);
    if (price) chargeFor(node, price);
  }
  for (const node of nodes) chargeForParts(node);
}

/** The nodes whose values operators read as a whole. */
function operandsIn(nodes: ReadonlySet<SyntaxNode>): ReadonlySet<SyntaxNode> {
  return new Set(
    [...nodes].filter(({ op }) => READS_OPERANDS.has(op)).flatMap((node) => childrenOf(node).map(expanded)),
  );
}

/** @returns `null` for a node that costs nothing itself: a leaf, or a macro in whose place another node stands */
function priceFor(node: SyntaxNode): ((value: unknown) => number) | null {
  if (LEAVES.has(node.op) || isExpanded(node)) return null;
  return MAKES_VALUES.has(node.op) ? sizeOf : () => 1;
}

function chargeForParts(node: SyntaxNode): void {
  const parts = partsOf(node);
  if (parts > 0) wrap(node, (evaluate) => (spend(parts), evaluate()));
  if (isComprehension(node)) chargeForLoop(node.args);
  if (CATCHES_ERRORS.has(node.op)) childrenOf(node).forEach(chargeForErrors);
}

const READS_OPERANDS: ReadonlySet<string> = new Set(['==', '!=', 'in', '<', '<=', '>', '>=', 'call', 'rcall', '+']);
const MAKES_VALUES: ReadonlySet<string> = new Set(['call', 'rcall', '+', 'list']);
const LEAVES: ReadonlySet<string> = new Set(['value', 'id', 'accuValue']);

/** Operators that evaluate a part although another one has failed; loops of tests do so, too. */
const CATCHES_ERRORS: ReadonlySet<string> = new Set(['||', '&&']);

/** The node that is evaluated in place of a macro. */
function expanded(node: SyntaxNode): SyntaxNode {
  return node.meta.alternate ? expanded(node.meta.alternate) : node;
}

function isExpanded({ meta: { alternate, macro } }: SyntaxNode): boolean {
  return alternate !== undefined || macro !== undefined;
}

function replaceCall(call: unknown[], replaced: ReadonlySet<string>): void {
  const [name] = call;
  if (typeof name === 'string' && replaced.has(name)) call[0] = replacementName(name);
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
  wrap(node, (evaluate) => {
    const value = evaluate();
    spend(priceOf(value));
    return value;
  });
}

/** The members of a map literal, or the links that `has` follows. */
function partsOf({ op, args, meta: { macro } }: SyntaxNode): number {
  if (op === 'map' && Array.isArray(args)) return KEY_PRICE * args.length;
  if (typeof macro !== 'object' || macro === null) return 0;
  return 'macroHasProps' in macro && Array.isArray(macro.macroHasProps) ? macro.macroHasProps.length : 1;
}

interface Loop {
  readonly iterable: SyntaxNode;
  readonly step: SyntaxNode;
  /** Tells if the loop goes on; absent for loops over all elements, which end at the first error. */
  condition?: (accumulated: unknown) => boolean;
}

function isComprehension(node: SyntaxNode): node is SyntaxNode & { readonly args: Loop } {
  return node.op === 'comprehension';
}

/**
 * Charges for a loop. The library catches the errors of each round of `all` and `exists`, but not those of the condition:
 * an expression that has become too expensive ends there.
 */
function chargeForLoop(loop: Loop): void {
  const { condition } = loop;
  chargeFor(loop.iterable, keysOf);
  if (!condition) return;
  chargeForErrors(loop.step);
  loop.condition = (accumulated) => {
    spend(1);
    return condition(accumulated);
  };
}

/** Price of listing the keys of an object. */
function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 0;
  return KEY_PRICE * sizeOfMap(value);
}

/** Price of an error that is caught: its message quotes the expression. */
const ERROR_PRICE = 300;

function chargeForErrors(node: SyntaxNode): void {
  wrap(node, (evaluate) => {
    try {
      return evaluate();
    } catch (error) {
      spend(ERROR_PRICE);
      throw error;
    }
  });
}

/** Puts code around the evaluation of a node, or of what a macro has made of it. */
function wrap(node: SyntaxNode, around: (evaluate: () => unknown) => unknown): void {
  const { alternate, macro, evaluate } = node.meta;
  if (alternate !== undefined) wrap(alternate, around);
  else if (isEvaluating(macro)) macro.evaluate = within(macro.evaluate, around);
  else node.setMeta('evaluate', within(evaluate, around));
}

function within<A extends readonly unknown[]>(
  evaluate: (...given: A) => unknown,
  around: (evaluate: () => unknown) => unknown,
): (...given: A) => unknown {
  return (...given) => around(() => evaluate(...given));
}

interface Evaluating {
  evaluate: (...given: readonly unknown[]) => unknown;
}

function isEvaluating(macro: unknown): macro is Evaluating {
  return typeof macro === 'object' && macro !== null && 'evaluate' in macro && typeof macro.evaluate === 'function';
}
