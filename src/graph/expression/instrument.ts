import { spendUnits, priceOfText } from '../values/meter.ts';
import { keepAllKeys } from './literals.ts';
import { REPLACED_FUNCTIONS, REPLACED_METHODS, replacementName } from './functions.ts';
import {
  compareNumbersByValue,
  divideJsonNumbers,
  isComparison,
  isJsonDivision,
  widenOperands,
  childrenOf,
  isSyntaxNode,
} from './syntax-node.ts';
import type { SyntaxNode } from './syntax-node.ts';
import { isContainer } from '../values/json.ts';
import { hasCode } from '../values/text.ts';
import { MAX_JSON_DEPTH } from '../values/to-json.ts';

/**
 * Adapts a syntax tree before its type check: replaced methods, branches of `?:` with different types, JSON numbers.
 */
export function prepareForCheck(nodes: ReadonlySet<SyntaxNode>): void {
  for (const node of nodes) {
    if (node.op === 'rcall' && Array.isArray(node.args)) replaceCall(node.args, REPLACED_METHODS);
    if (node.op === 'call' && Array.isArray(node.args)) replaceCall(node.args, REPLACED_FUNCTIONS);
    if (node.op === '?:') allowMixedBranches(node);
    if (isJsonDivision(node)) widenOperands(node);
    if (isComparison(node)) compareNumbersByValue(node);
  }
}

/**
 * Rewrites a checked syntax tree: division works on JSON numbers, maps keep all keys, each node charges units for its
 * value or operands.
 */
export function meterSyntaxTree(nodes: ReadonlySet<SyntaxNode>): void {
  for (const node of nodes) {
    if (isJsonDivision(node)) divideJsonNumbers(node);
    keepAllKeys(node);
  }
  const operands = operandNodes(nodes);
  for (const node of nodes) {
    const price = operands.has(node) ? priceOfReading : priceOfNode(node);
    if (price) chargeForValue(node, price);
  }
  for (const node of nodes) chargeForParts(node);
}

/** The members of a decision that may be absent, with all that is in them. */
const MAY_BE_ABSENT: ReadonlySet<unknown> = new Set(['values', 'args']);

/** Lets absent members of `result.values` and `result.args` be null. */
export function readAbsentAsNull(nodes: ReadonlySet<SyntaxNode>): void {
  for (const node of nodes) {
    const target = memberTarget(node);
    if (target && isInDecision(target)) wrapNode(node, (evaluate) => nullIfAbsent(evaluate));
  }
}

function nullIfAbsent(evaluate: () => unknown): unknown {
  try {
    return evaluate();
  } catch (error) {
    spendUnits(ERROR_PRICE);
    if (hasCode(error, 'no_such_key') || hasCode(error, 'index_out_of_bounds')) return null;
    throw error;
  }
}

/** Returns the object that a node reads a member with a fixed name of; `null` for any other node. */
function memberTarget({ op, args }: SyntaxNode): SyntaxNode | null {
  if ((op !== '.' && op !== '[]') || !Array.isArray(args)) return null;
  const [target, name]: unknown[] = args;
  const isFixed = op === '.' || (isSyntaxNode(name) && name.op === 'value');
  return isFixed && isSyntaxNode(target) ? target : null;
}

/** True for `result.values`, `result.args` and all that is read in them. */
function isInDecision(node: SyntaxNode): boolean {
  const target = memberTarget(node);
  if (!target || !Array.isArray(node.args)) return false;
  const isResult = target.op === 'id' && target.args === 'result';
  return (isResult && MAY_BE_ABSENT.has(node.args[1])) || isInDecision(target);
}

/** Returns the nodes whose whole values are read by operators. */
function operandNodes(nodes: ReadonlySet<SyntaxNode>): ReadonlySet<SyntaxNode> {
  return new Set(
    [...nodes].filter(({ op }) => READS_OPERANDS.has(op)).flatMap((node) => childrenOf(node).map(expandMacro)),
  );
}

/** @returns `null` for a node without a cost of its own: a leaf, or a macro, which another node replaces */
function priceOfNode(node: SyntaxNode): ((value: unknown) => number) | null {
  if (LEAVES.has(node.op) || isExpanded(node)) return null;
  return MAKES_VALUES.has(node.op) ? priceOfMaking : () => 1;
}

function chargeForParts(node: SyntaxNode): void {
  const parts = countParts(node);
  if (parts > 0) wrapNode(node, (evaluate) => (spendUnits(parts), evaluate()));
  if (isComprehension(node)) chargeForLoop(node.args);
  if (CATCHES_ERRORS.has(node.op)) childrenOf(node).forEach(chargeForErrors);
}

const READS_OPERANDS: ReadonlySet<string> = new Set(['==', '!=', 'in', '<', '<=', '>', '>=', 'call', 'rcall', '+']);
const MAKES_VALUES: ReadonlySet<string> = new Set(['call', 'rcall', '+', 'list']);
const LEAVES: ReadonlySet<string> = new Set(['value', 'id', 'accuValue']);

/** Operators that evaluate one operand although the other has failed. Loops of tests do this too. */
const CATCHES_ERRORS: ReadonlySet<string> = new Set(['||', '&&']);

/** Returns the node that is evaluated instead of a macro. */
function expandMacro(node: SyntaxNode): SyntaxNode {
  return node.meta.alternate ? expandMacro(node.meta.alternate) : node;
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

function chargeForValue(node: SyntaxNode, priceOf: (value: unknown) => number): void {
  wrapNode(node, (evaluate) => {
    const value = evaluate();
    spendUnits(priceOf(value));
    return value;
  });
}

/** Returns the number of members of a map literal, or of links that `has` follows. */
function countParts({ op, args, meta: { macro } }: SyntaxNode): number {
  if (op === 'map' && Array.isArray(args)) return KEY_PRICE * args.length;
  if (!isContainer(macro)) return 0;
  return 'macroHasProps' in macro && Array.isArray(macro.macroHasProps) ? macro.macroHasProps.length : 1;
}

interface MacroLoop {
  readonly iterable: SyntaxNode;
  readonly step: SyntaxNode;
  /** Returns true if the loop continues; absent for loops over all elements, which end at the first error. */
  condition?: (accumulated: unknown) => boolean;
}

function isComprehension(node: SyntaxNode): node is SyntaxNode & { readonly args: MacroLoop } {
  return node.op === 'comprehension';
}

/**
 * Charges for a loop. The library catches the errors of each round of `all` and `exists`, but not those of the
 * condition, so an expression that has become too expensive ends there.
 */
function chargeForLoop(loop: MacroLoop): void {
  const { condition } = loop;
  chargeForValue(loop.iterable, priceOfKeys);
  if (!condition) return;
  chargeForErrors(loop.step);
  loop.condition = (accumulated) => {
    spendUnits(1);
    return condition(accumulated);
  };
}

/** Price of listing the keys of an object. */
function priceOfKeys(value: unknown): number {
  return isContainer(value) && !Array.isArray(value) ? KEY_PRICE * sizeOfMap(value) : 0;
}

/** Price of a caught error, whose message quotes the expression. */
const ERROR_PRICE = 300;

function chargeForErrors(node: SyntaxNode): void {
  wrapNode(node, (evaluate) => {
    try {
      return evaluate();
    } catch (error) {
      spendUnits(ERROR_PRICE);
      throw error;
    }
  });
}

/** Wraps the evaluation of a node, or of the expansion of a macro. */
function wrapNode(node: SyntaxNode, around: (evaluate: () => unknown) => unknown): void {
  const { alternate, macro, evaluate } = node.meta;
  if (alternate !== undefined) wrapNode(alternate, around);
  else if (isEvaluating(macro)) macro.evaluate = wrapEvaluation(macro.evaluate, around);
  else node.setMeta('evaluate', wrapEvaluation(evaluate, around));
}

function wrapEvaluation<A extends readonly unknown[]>(
  evaluate: (...given: A) => unknown,
  around: (evaluate: () => unknown) => unknown,
): (...given: A) => unknown {
  return (...given) => around(() => evaluate(...given));
}

interface EvaluatingNode {
  evaluate: (...given: readonly unknown[]) => unknown;
}

function isEvaluating(macro: unknown): macro is EvaluatingNode {
  return isContainer(macro) && 'evaluate' in macro && typeof macro.evaluate === 'function';
}

/**
 * Returns the price of reading a whole value. Objects are measured once.
 * @throws RangeError for values over 200 levels deep
 */
function priceOfReading(value: unknown): number {
  if (typeof value === 'string') return priceOfText(value);
  return isContainer(value) ? measureValue(value, 0).weight : 1;
}

/** Returns the price of making a value in addition to its parts: its own characters or elements. */
function priceOfMaking(value: unknown): number {
  if (typeof value === 'string') return priceOfText(value);
  if (Array.isArray(value)) return 1 + value.length;
  return ArrayBuffer.isView(value) ? 1 + value.byteLength : 1;
}

interface ValueMeasure {
  readonly weight: number;
  readonly levels: number;
  /** The length of a list when it was measured, because lists of channels grow in place. 0 for other values. */
  readonly length: number;
}

const knownMeasures = new WeakMap<object, ValueMeasure>();

/** Every traversal of a value recurses, so its depth is limited. */
function measureValue(value: object, depth: number): ValueMeasure {
  const known = memoizedMeasure(value);
  if (depth + (known?.levels ?? 0) > MAX_JSON_DEPTH)
    throw new RangeError(`a value is nested over ${MAX_JSON_DEPTH} levels`);
  if (known) return known;
  let weight = priceOfOwnMembers(value);
  let levels = 0;
  for (const member of collectionItems(value)) {
    if (!isContainer(member)) {
      weight += typeof member === 'string' ? priceOfText(member) : 1;
      continue;
    }
    const inner = measureValue(member, depth + 1);
    weight = Math.min(weight + inner.weight, Number.MAX_SAFE_INTEGER);
    levels = Math.max(levels, inner.levels + 1);
  }
  const measured = { weight, levels, length: collectionLength(value) };
  knownMeasures.set(value, measured);
  return measured;
}

function memoizedMeasure(value: object): ValueMeasure | undefined {
  const known = knownMeasures.get(value);
  return known?.length === collectionLength(value) ? known : undefined;
}

function collectionLength(value: object): number {
  return Array.isArray(value) ? value.length : 0;
}

/** Returns the price of an object's own members. Listing keys takes longer than listing items. */
function priceOfOwnMembers(value: object): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return Array.isArray(value) ? 1 : 1 + KEY_PRICE * sizeOfMap(value);
}

/** The number of members of an object or a map. */
function sizeOfMap(value: object): number {
  return value instanceof Map ? value.size : Object.keys(value).length;
}

/** Price of a key when the keys of an object are listed. */
const KEY_PRICE = 4;

function collectionItems(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.keys(), ...value.values()];
  return ArrayBuffer.isView(value) ? [] : Object.values(value);
}
