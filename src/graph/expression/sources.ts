import { boundVariable, findReads, memberAccess, nameIn } from './references.ts';
import { childrenOf } from './syntax-node.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** A name of the scope, or a member of it: `item`, `state.card`, `result.args`. */
export type Source = string;

/** Where the value of an expression comes from. */
export interface Sources {
  /** All that the expression looks at. Its errors may quote any of them. */
  readonly read: ReadonlySet<Source>;
  /**
   * Those whose content its value may hold. An answer about a value holds none of it: its size or type, a comparison,
   * a test, the branch that a condition chooses.
   */
  readonly content: ReadonlySet<Source>;
}

/** Finds the sources of a checked syntax tree. */
export function findSources(root: SyntaxNode): Sources {
  const read = [...findReads(root)].flatMap(([name, members]) =>
    [...members].map((member) => (member === '*' ? name : `${name}.${member}`)),
  );
  return { read: new Set(read), content: contentOf(root, new Map()) };
}

/** The sources of the variables that are bound around a node. */
type Variables = ReadonlyMap<string, ReadonlySet<Source>>;

const NOTHING: ReadonlySet<Source> = new Set();

function contentOf(node: SyntaxNode, variables: Variables): ReadonlySet<Source> {
  const { alternate } = node.meta;
  if (alternate) return contentOf(alternate, variables);
  if (isAnswer(node)) return NOTHING;
  const name = nameIn(node);
  if (name !== null) return variables.get(name) ?? new Set([name]);
  const member = memberAccess(node);
  if (member && !variables.has(member.of)) return new Set([`${member.of}.${member.name}`]);
  const variable = boundVariable(node);
  if (!variable) return contentOfAll(partsOf(node), variables);
  const { name: bound, value, body } = variable;
  return contentOfAll(body, new Map([...variables, [bound, contentOf(value, variables)]]));
}

function contentOfAll(nodes: readonly SyntaxNode[], variables: Variables): ReadonlySet<Source> {
  return new Set(nodes.flatMap((node) => [...contentOf(node, variables)]));
}

/** The parts of a node whose values may become part of its own; of a choice, both branches. */
function partsOf(node: SyntaxNode): readonly SyntaxNode[] {
  return node.op === '?:' ? childrenOf(node).slice(1) : childrenOf(node);
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
const CALLS: ReadonlySet<string> = new Set(['call', 'rcall']);
const TESTS: ReadonlySet<string> = new Set([
  'contains',
  'endsWith',
  'has',
  'hasValue',
  'matches',
  'size',
  'startsWith',
  'type',
]);

/** True for an operator or function whose value tells something about its operands and holds nothing of them. */
function isAnswer({ op, args }: SyntaxNode): boolean {
  if (COMPARISONS.has(op)) return true;
  const called: unknown = CALLS.has(op) && Array.isArray(args) ? args[0] : null;
  return typeof called === 'string' && TESTS.has(called.replace(/_$/, ''));
}
