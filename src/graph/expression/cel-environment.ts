import { Environment } from '@marcbachmann/cel-js';
import { isContainer } from '../values/json.ts';
import { createMemo } from '../values/collections.ts';
import { registerFunctions } from './functions.ts';
import { registerNumbers, isSyntaxNode } from './syntax-node.ts';
import type { ExpressionName } from './names.ts';

const knownEnvironments = createMemo<Environment>({ maxEntries: 100, maxSize: 100_000 });

export function environmentForNames(names: readonly ExpressionName[]): Environment {
  return knownEnvironments(names.join(' '), () => createEnvironment(names));
}

function createEnvironment(names: readonly ExpressionName[]): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: { maxDepth: 100, maxAstNodes: 10_000 },
  });
  registerNumbers(environment);
  registerFunctions(environment);
  for (const name of names) environment.registerVariable(name, 'dyn');
  limitTypes(environment);
  return environment;
}

/** The depth to which types of values are distinguished when a function is chosen; deeper parts have any type. */
const MAX_TYPE_LEVELS = 3;

interface RuntimeType {
  readonly kind: string;
  readonly keyType?: unknown;
}

interface CelEvaluator {
  readonly registry: { getListType(item: unknown): unknown; getMapType(key: unknown, value: unknown): unknown };
  readonly stringType: unknown;
  debugType(value: unknown): RuntimeType;
  debugTypeDeep: (value: unknown) => unknown;
}

/**
 * Limits the types that an environment creates for values. The library keeps each type forever, and differently nested
 * values would create an unlimited number of them.
 */
function limitTypes(environment: Environment): void {
  const program = environment.parse('true');
  const root: unknown = program.ast;
  if (!isSyntaxNode(root)) throw new TypeError('The CEL library gave no syntax tree');
  root.setMeta('evaluate', (evaluator) => {
    if (!isEvaluator(evaluator)) throw new TypeError('The CEL library has another evaluator');
    evaluator.debugTypeDeep = (value) => celTypeOf(evaluator, value, MAX_TYPE_LEVELS);
    return true;
  });
  program({});
}

function celTypeOf(evaluator: CelEvaluator, value: unknown, levels: number): unknown {
  const type = evaluator.debugType(value);
  if (levels === 0 || !isContainer(value)) return type;
  const first = firstElement(value, type.kind);
  if (first === undefined) return type;
  const typeOfFirst = celTypeOf(evaluator, first, levels - 1);
  if (type.kind === 'list') return evaluator.registry.getListType(typeOfFirst);
  return evaluator.registry.getMapType(evaluator.stringType, typeOfFirst);
}

/** Returns the first element of a list or a map; `undefined` if it is empty. */
function firstElement(value: object, kind: string): unknown {
  if (kind === 'list') return Array.isArray(value) ? value[0] : undefined;
  if (kind !== 'map') return undefined;
  if (value instanceof Map) return value.values().next().value;
  for (const key in value) return Reflect.get(value, key);
  return undefined;
}

function isEvaluator(value: unknown): value is CelEvaluator {
  return isContainer(value) && 'debugTypeDeep' in value && 'registry' in value;
}
