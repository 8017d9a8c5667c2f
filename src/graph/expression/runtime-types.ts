import type { Environment } from '@marcbachmann/cel-js';
import { isSyntaxNode } from './syntax-node.ts';

/** As deep as types of values are looked at when a function is chosen; parts further inside have any type. */
const MAX_LEVELS = 3;

interface RuntimeType {
  readonly kind: string;
  readonly keyType?: unknown;
}

interface Evaluator {
  readonly registry: { getListType(item: unknown): unknown; getMapType(key: unknown, value: unknown): unknown };
  readonly stringType: unknown;
  debugType(value: unknown): RuntimeType;
  debugTypeDeep: (value: unknown) => unknown;
}

/**
 * Limits the types that an environment makes for values. The library remembers each type for ever, and values nested in
 * different ways would make any number of them.
 */
export function limitTypes(environment: Environment): void {
  const program = environment.parse('true');
  const root: unknown = program.ast;
  if (!isSyntaxNode(root)) throw new TypeError('The CEL library gave no syntax tree');
  root.setMeta('evaluate', (evaluator) => {
    if (!isEvaluator(evaluator)) throw new TypeError('The CEL library has another evaluator');
    evaluator.debugTypeDeep = (value) => typeOf(evaluator, value, MAX_LEVELS);
    return true;
  });
  program({});
}

function typeOf(evaluator: Evaluator, value: unknown, levels: number): unknown {
  const type = evaluator.debugType(value);
  if (levels === 0 || typeof value !== 'object' || value === null) return type;
  const first = firstOf(value, type.kind);
  if (first === undefined) return type;
  const ofFirst = typeOf(evaluator, first, levels - 1);
  if (type.kind === 'list') return evaluator.registry.getListType(ofFirst);
  return evaluator.registry.getMapType(evaluator.stringType, ofFirst);
}

/** The first element of a list or a map; `undefined`: there is none. */
function firstOf(value: object, kind: string): unknown {
  if (kind === 'list') return Array.isArray(value) ? value[0] : undefined;
  if (kind !== 'map') return undefined;
  if (value instanceof Map) return value.values().next().value;
  for (const key in value) return Reflect.get(value, key);
  return undefined;
}

function isEvaluator(value: unknown): value is Evaluator {
  return typeof value === 'object' && value !== null && 'debugTypeDeep' in value && 'registry' in value;
}
