import { childrenOf, isSyntaxNode } from './syntax-node.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** The members of `state`, `run` and `args` that an expression reads. `'*'`: the whole value. */
export interface References {
  readonly channels: ReadonlySet<string>;
  readonly runFields: ReadonlySet<string>;
  readonly args: ReadonlySet<string>;
}

const ACCESS: ReadonlySet<string> = new Set(['.', '.?', '[]', '[?]']);

/** Finds the members that a syntax tree reads. Variables of `map`, `filter` and `bind` hide names of the scope. */
export function findReferences(root: SyntaxNode): References {
  const found = { state: new Set<string>(), run: new Set<string>(), args: new Set<string>() };
  visit(root, new Set());
  return { channels: found.state, runFields: found.run, args: found.args };

  function visit(node: SyntaxNode, hidden: ReadonlySet<string>): void {
    const member = memberAccess(node);
    if (member && !hidden.has(member.of)) {
      found[member.of].add(member.name);
      return;
    }
    const whole = rootName(node);
    if (whole && !hidden.has(whole)) found[whole].add('*');
    const scope = boundScope(node);
    const inner = scope ? new Set([...hidden, scope.name]) : hidden;
    for (const child of childrenOf(node)) visit(child, scope?.outside.has(child) ? hidden : inner);
  }
}

type RootName = 'state' | 'run' | 'args';

function rootName(node: unknown): RootName | null {
  if (!isSyntaxNode(node) || node.op !== 'id') return null;
  return node.args === 'state' || node.args === 'run' || node.args === 'args' ? node.args : null;
}

function memberAccess(node: SyntaxNode): { of: RootName; name: string } | null {
  if (!ACCESS.has(node.op) || !Array.isArray(node.args)) return null;
  const [object, key]: unknown[] = node.args;
  const of = rootName(object);
  const name = isSyntaxNode(key) && key.op === 'value' ? key.args : key;
  return of !== null && typeof name === 'string' ? { of, name } : null;
}

/** The variable of a comprehension or a `cel.bind`, and the nodes in it that can't see the variable. */
function boundScope(node: SyntaxNode): { readonly name: string; readonly outside: ReadonlySet<unknown> } | null {
  const holder = node.op === 'comprehension' ? node.args : node.meta.macro;
  if (typeof holder !== 'object' || holder === null) return null;
  if ('iterVarName' in holder && 'iterable' in holder && typeof holder.iterVarName === 'string')
    return { name: holder.iterVarName, outside: new Set([holder.iterable]) };
  if ('var' in holder && 'val' in holder && typeof holder.var === 'string')
    return { name: holder.var, outside: new Set([holder.val]) };
  return null;
}
