import { accessPath, hiddenInside, pathText } from './references.ts';
import type { AccessPath } from './references.ts';
import { childrenOf } from './syntax-node.ts';
import type { SyntaxNode } from './syntax-node.ts';
import { spendUnits } from '../values/meter.ts';
import { abbreviate } from '../values/text.ts';

/** A type of JSON value other than null, which any value may be. */
export type ValueType = 'number' | 'string' | 'boolean' | 'array' | 'object';

/** Returns the types that the value at a path may have; `null` if they are unknown. */
export type TypesAtPath = (path: AccessPath) => ReadonlySet<ValueType> | null;

/** A part of a valid expression that can't do what its author probably meant. */
export interface Doubt {
  readonly message: string;
  readonly hint: string;
  /** True if the part always fails. */
  readonly isCertain: boolean;
}

/** Finds comparisons and sums of values of different types, and reads of `length`, in a checked syntax tree. */
export function findDoubts(root: SyntaxNode, source: string, typesAt: TypesAtPath): readonly Doubt[] {
  const doubts: Doubt[] = [];
  visit(root, new Set());
  return doubts;

  function visit(node: SyntaxNode, hidden: ReadonlySet<string>): void {
    spendUnits(1);
    const typed: TypedSource = { source, typesOf: (one) => typesOf(one, hidden, typesAt) };
    const doubt = findMismatch(node, typed) ?? findLengthRead(node, typed, hidden);
    if (doubt) doubts.push(doubt);
    for (const child of childrenOf(node)) visit(child, hiddenInside(node, child, hidden));
  }
}

/** Returns what the types of two operands of an operator mean together, as in "a number and a text can't be added". */
export function describeMismatch(operator: string, left: string, right: string): string | null {
  const outcome = OUTCOMES[operator];
  return outcome === undefined ? null : `${left} and ${right} ${outcome}`;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  '<': "can't be compared",
  '<=': "can't be compared",
  '>': "can't be compared",
  '>=': "can't be compared",
  '==': 'are never equal',
  '!=': 'are never equal',
  '+': "can't be added",
  '-': "can't be subtracted",
  '*': "can't be multiplied",
  '/': "can't be divided",
  '%': "can't be divided",
};

const TYPE_WORDS: Readonly<Record<ValueType, string>> = {
  number: 'a number',
  string: 'a text',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
};

/** The text of an expression, and the types of its parts. */
interface TypedSource {
  readonly source: string;
  readonly typesOf: (node: SyntaxNode) => ReadonlySet<ValueType> | null;
}

function findMismatch(node: SyntaxNode, { source, typesOf: typesOfPart }: TypedSource): Doubt | null {
  if (OUTCOMES[node.op] === undefined) return null;
  const [left, right] = childrenOf(node);
  const [leftTypes, rightTypes] = [left && typesOfPart(left), right && typesOfPart(right)];
  if (!left || !right || !leftTypes || !rightTypes || [...leftTypes].some((type) => rightTypes.has(type))) return null;
  const quote = (part: SyntaxNode, types: ReadonlySet<ValueType>): string =>
    `${abbreviate(source.slice(part.start, part.end), MAX_QUOTED_PART)} (${typeWords(types)})`;
  const message = describeMismatch(node.op, quote(left, leftTypes), quote(right, rightTypes));
  return message === null ? null : { message, hint: CONVERT_HINT, isCertain: false };
}

const MAX_QUOTED_PART = 80;
const CONVERT_HINT = 'Use values of one type: string(x) makes a text, double(x) makes a number';

function typeWords(types: ReadonlySet<ValueType>): string {
  return [...types].map((type) => TYPE_WORDS[type]).join(' or ');
}

function findLengthRead(node: SyntaxNode, { typesOf }: TypedSource, hidden: ReadonlySet<string>): Doubt | null {
  const path = node.op === '.' ? accessPath(node, hidden) : null;
  const [target] = path?.at(-1) === 'length' ? childrenOf(node) : [];
  if (!path || !target) return null;
  const types = typesOf(target);
  if (types?.has('object')) return null;
  const read = pathText(path.slice(0, -1));
  const hint = `CEL writes size(${read})`;
  if (types === null)
    return { message: `"${read}.length" fails if ${read} is a text or a list`, hint, isCertain: false };
  return { message: `"${read}" has no member "length"`, hint, isCertain: true };
}

function typesOf(node: SyntaxNode, hidden: ReadonlySet<string>, typesAt: TypesAtPath): ReadonlySet<ValueType> | null {
  const path = accessPath(node, hidden);
  return path ? typesAt(path) : typesByCheck(String(node.checkedType));
}

/** Returns the types of JSON values that a type of CEL stands for. */
function typesByCheck(checked: string): ReadonlySet<ValueType> | null {
  const [, type] = TYPES_OF_CEL.find(([pattern]) => pattern.test(checked)) ?? [];
  return type === undefined ? null : new Set([type]);
}

/** Returns the words for a type as an error of the CEL library names it; `null` for a type that JSON does not have. */
export function wordsOfCelType(named: string): string | null {
  const type = /^dyn<(.*)>$/.exec(named)?.[1] ?? named;
  if (type === 'null') return type;
  const [first] = typesByCheck(type) ?? [];
  return first === undefined ? null : TYPE_WORDS[first];
}

const TYPES_OF_CEL: readonly (readonly [pattern: RegExp, type: ValueType])[] = [
  [/^(?:int|uint|double)$/, 'number'],
  [/^string$/, 'string'],
  [/^bool$/, 'boolean'],
  [/^list(?:<.*>)?$/, 'array'],
  [/^map(?:<.*>)?$/, 'object'],
];
