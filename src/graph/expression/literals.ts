import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { isKeptInteger } from '../values/decimal.ts';
import type { SyntaxNode } from './syntax-node.ts';
import { isSyntaxNode } from './syntax-node.ts';

/* Literals that would lose a part: integers that a double does not keep, and keys of maps that are repeated or reserved. */

/** Describes a literal that would lose a part; `null` if there is none. */
export function findLostLiteral(nodes: ReadonlySet<SyntaxNode>): string | null {
  for (const node of nodes) {
    const problem = findLostInteger(node) ?? repeatedKey(node);
    if (problem !== null) return problem;
  }
  return null;
}

function findLostInteger({ op, args }: SyntaxNode): string | null {
  const value: unknown = args instanceof UnsignedInt ? args.valueOf() : args;
  if (op !== 'value' || typeof value !== 'bigint' || isKeptInteger(String(value))) return null;
  return `The integer ${value} has more digits than a number of JSON keeps: write it as a text`;
}

function repeatedKey(node: SyntaxNode): string | null {
  const seen = new Set<string>();
  for (const [key] of mapEntries(node)) {
    if (key.op !== 'value') continue;
    const name = String(key.args);
    if (seen.has(name)) return repeatedKeyMessage(name);
    seen.add(name);
  }
  return null;
}

const repeatedKeyMessage = (name: string): string => `The key "${name}" comes more than once in a map`;

type MapEntryNodes = readonly [key: SyntaxNode, value: SyntaxNode];

/** Returns the entries of a map literal; none for other nodes. */
function mapEntries({ op, args }: SyntaxNode): readonly MapEntryNodes[] {
  return op === 'map' && Array.isArray(args) ? args.filter(isMapEntry) : [];
}

function isMapEntry(value: unknown): value is MapEntryNodes {
  return Array.isArray(value) && isSyntaxNode(value[0]) && isSyntaxNode(value[1]);
}

interface NodeEvaluator {
  run(node: SyntaxNode, scope: unknown): unknown;
}

function isEvaluator(value: unknown): value is NodeEvaluator {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}

/**
 * Makes a map literal keep all its keys. The library drops `__proto__`, `constructor` and `prototype`, and lets the last
 * one of equal keys count. It must run after the type check, which sets how an empty map is evaluated.
 */
export function keepAllKeys(node: SyntaxNode): void {
  const entries = mapEntries(node);
  if (entries.length === 0) return;
  node.setMeta('evaluate', (evaluator, _ast, scope) => {
    if (!isEvaluator(evaluator)) throw new TypeError('The CEL library has another evaluator');
    const members = new Map<string, unknown>();
    for (const [key, value] of entries) {
      const name = String(evaluator.run(key, scope));
      if (members.has(name)) throw new RangeError(repeatedKeyMessage(name));
      members.set(name, evaluator.run(value, scope));
    }
    // The library takes the member `constructor` of an object for its type.
    return members.has('constructor') ? members : Object.fromEntries(members);
  });
}
