import { isContainer } from '../values/json.ts';
import { childrenOf, isSyntaxNode } from './syntax-node.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** The members of `state`, `run` and `args` that an expression reads. `'*'` stands for the whole value. */
export interface ReadMembers {
  readonly channels: ReadonlySet<string>;
  readonly runFields: ReadonlySet<string>;
  readonly args: ReadonlySet<string>;
  /** All names of the scope that the expression reads. */
  readonly names: ReadonlySet<string>;
}

/**
 * Finds the members that a syntax tree reads. Variables of `map`, `filter` and `bind` hide names of the outer scope.
 */
export function findReferences(root: SyntaxNode): ReadMembers {
  const reads = findNamesRead(root);
  const membersOf = (name: string): ReadonlySet<string> => reads.get(name) ?? NO_NAMES;
  return {
    channels: membersOf('state'),
    runFields: membersOf('run'),
    args: membersOf('args'),
    names: new Set(reads.keys()),
  };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Finds the names that a syntax tree reads, each with the members that are read. `'*'` stands for the whole value. */
function findNamesRead(root: SyntaxNode): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  visit(root, new Set());
  return found;

  function visit(node: SyntaxNode, hidden: ReadonlySet<string>): void {
    const member = memberAccess(node) ?? wholeName(node);
    if (member && !hidden.has(member.of)) {
      found.set(member.of, (found.get(member.of) ?? new Set()).add(member.name));
      return;
    }
    for (const child of childrenOf(node)) visit(child, hiddenInside(node, child, hidden));
  }
}

/** Returns the names that variables hide in a child of a node. @param hidden the names that they hide in the node */
export function hiddenInside(node: SyntaxNode, child: SyntaxNode, hidden: ReadonlySet<string>): ReadonlySet<string> {
  const variable = boundVariable(node);
  return variable && child !== variable.value ? new Set([...hidden, variable.name]) : hidden;
}

/** A name of the scope, and the members and items that an expression reads of it, the outermost first. */
export type AccessPath = readonly (string | number)[];

/** Returns a path as an expression writes it: `state.lines[0].price`. */
export function pathText(path: AccessPath): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${key}`)).join('');
}

/**
 * Returns the path that a node reads. @returns `null` if it reads no member of a name, an optional member, or one that is
 * only known at run time
 */
export function accessPath(node: SyntaxNode, hidden: ReadonlySet<string>): AccessPath | null {
  const name = nameOfIdentifier(node);
  if (name !== null) return hidden.has(name) ? null : [name];
  if ((node.op !== '.' && node.op !== '[]') || !Array.isArray(node.args)) return null;
  const [object, member]: unknown[] = node.args;
  const key: unknown = isSyntaxNode(member) && member.op === 'value' ? member.args : member;
  const outer = isSyntaxNode(object) ? accessPath(object, hidden) : null;
  if (!outer) return null;
  if (typeof key === 'bigint') return [...outer, Number(key)];
  return typeof key === 'string' ? [...outer, key] : null;
}

/** Returns the longest paths that a syntax tree reads. */
export function findPaths(root: SyntaxNode): readonly AccessPath[] {
  const paths: AccessPath[] = [];
  const visit = (node: SyntaxNode, hidden: ReadonlySet<string>): void => {
    const path = accessPath(node, hidden);
    if (path) paths.push(path);
    else for (const child of childrenOf(node)) visit(child, hiddenInside(node, child, hidden));
  };
  visit(root, new Set());
  return paths;
}

const ACCESS_OPERATORS: ReadonlySet<string> = new Set(['.', '.?', '[]', '[?]']);

/** A member of a name that an expression accesses. */
export interface AccessedMember {
  readonly of: string;
  readonly name: string;
}

/** @returns `null` if the node accesses no member of a name, or a member that is only known at run time */
function memberAccess(node: SyntaxNode): AccessedMember | null {
  if (!ACCESS_OPERATORS.has(node.op) || !Array.isArray(node.args)) return null;
  const [object, key]: unknown[] = node.args;
  const of = nameOfIdentifier(object);
  const name = isSyntaxNode(key) && key.op === 'value' ? key.args : key;
  return of !== null && typeof name === 'string' ? { of, name } : null;
}

function wholeName(node: SyntaxNode): AccessedMember | null {
  const of = nameOfIdentifier(node);
  return of === null ? null : { of, name: '*' };
}

/** Returns the name that a node refers to; `null` for any other node, and for a name of the CEL library. */
function nameOfIdentifier(node: unknown): string | null {
  return isSyntaxNode(node) && node.op === 'id' && !node.meta.alternate && typeof node.args === 'string'
    ? node.args
    : null;
}

/** The variable of a comprehension or a `cel.bind`. */
export interface BoundVariable {
  readonly name: string;
  /** The list that is iterated, or the only value. The variable is not in scope there. */
  readonly value: SyntaxNode;
  /** The nodes that compute the result. */
  readonly body: readonly SyntaxNode[];
}

/** @returns `null` if the node binds no variable */
function boundVariable(node: SyntaxNode): BoundVariable | null {
  const holder = node.op === 'comprehension' ? node.args : node.meta.macro;
  if (!isContainer(holder)) return null;
  if ('iterVarName' in holder && 'iterable' in holder)
    return toBoundVariable(holder.iterVarName, holder.iterable, childrenOf(node));
  return 'var' in holder && 'val' in holder && 'exp' in holder
    ? toBoundVariable(holder.var, holder.val, [holder.exp])
    : null;
}

function toBoundVariable(name: unknown, value: unknown, parts: readonly unknown[]): BoundVariable | null {
  if (typeof name !== 'string' || !isSyntaxNode(value)) return null;
  return { name, value, body: parts.filter((part) => isSyntaxNode(part)).filter((part) => part !== value) };
}

/** A name of the scope, or a member of it: `item`, `state.card`, `result.args`. */
export type ValueSource = string;

/** Where the value of an expression comes from. */
export interface ExpressionSources {
  /** Everything that the expression reads. Its errors may quote any of it. */
  readonly read: ReadonlySet<ValueSource>;
  /**
   * The sources whose content the value may contain. A size, a type, a comparison, a test or the choice of a branch
   * contains nothing of its operands.
   */
  readonly content: ReadonlySet<ValueSource>;
}

/** Finds the sources of a checked syntax tree. */
export function findSources(root: SyntaxNode): ExpressionSources {
  const read = [...findNamesRead(root)].flatMap(([name, members]) =>
    [...members].map((member) => (member === '*' ? name : `${name}.${member}`)),
  );
  return { read: new Set(read), content: valueSources(root, new Map()) };
}

/** The sources of the variables that are in scope at a node. */
type VariableSources = ReadonlyMap<string, ReadonlySet<ValueSource>>;

const NO_SOURCES: ReadonlySet<ValueSource> = new Set();

function valueSources(node: SyntaxNode, variables: VariableSources): ReadonlySet<ValueSource> {
  const { alternate } = node.meta;
  if (alternate) return valueSources(alternate, variables);
  if (hidesOperands(node)) return NO_SOURCES;
  const name = nameOfIdentifier(node);
  if (name !== null) return variables.get(name) ?? new Set([name]);
  const member = memberAccess(node);
  if (member && !variables.has(member.of)) return new Set([`${member.of}.${member.name}`]);
  const variable = boundVariable(node);
  if (!variable) return contentOfAll(valueParts(node), variables);
  const { name: bound, value, body } = variable;
  return contentOfAll(body, new Map([...variables, [bound, valueSources(value, variables)]]));
}

function contentOfAll(nodes: readonly SyntaxNode[], variables: VariableSources): ReadonlySet<ValueSource> {
  return new Set(nodes.flatMap((node) => [...valueSources(node, variables)]));
}

/** Returns the parts of a node whose values may become part of its own value; both branches of a conditional. */
function valueParts(node: SyntaxNode): readonly SyntaxNode[] {
  return node.op === '?:' ? childrenOf(node).slice(1) : childrenOf(node);
}

const BOOLEAN_OPERATORS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
const CALL_OPERATORS: ReadonlySet<string> = new Set(['call', 'rcall']);
const TEST_FUNCTIONS: ReadonlySet<string> = new Set([
  'contains',
  'endsWith',
  'has',
  'hasValue',
  'matches',
  'size',
  'startsWith',
  'type',
]);

/** True for an operator or function whose value depends on its operands but contains nothing of them. */
function hidesOperands({ op, args }: SyntaxNode): boolean {
  if (BOOLEAN_OPERATORS.has(op)) return true;
  const called: unknown = CALL_OPERATORS.has(op) && Array.isArray(args) ? args[0] : null;
  return typeof called === 'string' && TEST_FUNCTIONS.has(called.replace(/_$/, ''));
}
