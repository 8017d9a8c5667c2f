import { Environment } from '@marcbachmann/cel-js';
import type { ParseResult } from '@marcbachmann/cel-js';
import { GraphError } from '../values/errors.ts';
import type { Json } from '../values/json.ts';
import { createMemo } from '../values/memo.ts';
import { didYouMean } from '../values/text.ts';
import { registerFunctions } from './functions.ts';
import { instrument, prepareForCheck } from './instrument.ts';
import { metered } from './meter.ts';
import { registerNumbers } from './numbers.ts';
import { findReferences } from './references.ts';
import type { References } from './references.ts';
import { allNodes, isSyntaxNode } from './syntax-node.ts';
import { hasConstructorMember, fromCel, toMaps } from './value.ts';

/** A name that an expression may use; each field of a definition allows some (specification, "Expressions"). */
export type Name = 'state' | 'run' | 'item' | 'index' | 'args' | 'result' | 'error' | 'current' | 'update';

/** The values of the names in scope. */
export type Bindings = Readonly<Partial<Record<Name, Json>>>;

/** The names that all expressions of nodes and edges may use. */
export const NODE_NAMES: readonly Name[] = ['state', 'run', 'item', 'index'];

/** The names that templates over the result of a node may use. */
export const RESULT_NAMES: readonly Name[] = [...NODE_NAMES, 'result'];

/** The members of `run`. */
export const RUN_FIELDS: readonly string[] = ['id', 'threadId', 'tenantId', 'step', 'visit', 'graph', 'startedAt'];

/** A parsed CEL expression. */
export interface Expression {
  readonly source: string;
  readonly references: References;
  /** @throws GraphError `EXPRESSION_FAILED`, naming the expression and the reason */
  evaluate(bindings: Bindings): Json;
}

/** A text that is no CEL (`syntax`), or CEL with an unknown name or types that don't fit (`meaning`). */
export class InvalidExpressionError extends Error {
  readonly kind: 'syntax' | 'meaning';

  constructor(kind: 'syntax' | 'meaning', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * Parses and checks a CEL expression. Equal expressions share one parse.
 * @param names the names in scope
 * @throws InvalidExpressionError with the reason
 */
export function parseExpression(source: string, names: readonly Name[]): Expression {
  return expressions(`${names.join(' ')}\n${source}`, () => parse(source, names));
}

/** Evaluates the expression of a field. @throws as `evaluate`, naming the field too */
export function evaluateField(field: string, expression: Expression, bindings: Bindings): Json {
  try {
    return expression.evaluate(bindings);
  } catch (error) {
    if (error instanceof GraphError) throw new GraphError(error.code, `${field}: ${error.message}`, { cause: error });
    throw error;
  }
}

const expressions = createMemo<Expression>(10_000);
const environments = createMemo<Environment>(100);

function parse(source: string, names: readonly Name[]): Expression {
  const program = parseSyntax(source, names);
  const root: unknown = program.ast;
  if (!isSyntaxNode(root)) throw new TypeError('The CEL library gave no syntax tree');
  const nodes = allNodes(root);
  prepareForCheck(nodes);
  const { valid, error } = program.check();
  if (!valid) throw new InvalidExpressionError('meaning', explain(error, names));
  const references = findReferences(root);
  instrument(nodes);
  return { source, references, evaluate: (bindings) => evaluate(source, program, bindings) };
}

function parseSyntax(source: string, names: readonly Name[]): ParseResult {
  try {
    return environmentFor(names).parse(source);
  } catch (error) {
    throw new InvalidExpressionError('syntax', reasonOf(error), { cause: error });
  }
}

function environmentFor(names: readonly Name[]): Environment {
  return environments(names.join(' '), () => createEnvironment(names));
}

function createEnvironment(names: readonly Name[]): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: { maxDepth: 100, maxAstNodes: 10_000 },
  });
  registerNumbers(environment);
  registerFunctions(environment);
  for (const name of names) environment.registerVariable(name, 'dyn');
  return environment;
}

function explain(error: unknown, names: readonly Name[]): string {
  const reason = reasonOf(error);
  const unknown = /^Unknown variable: (\S+)$/.exec(reason)?.[1];
  if (unknown === undefined) return reason;
  return `"${unknown}" is not defined here; known are ${names.join(', ')}.${didYouMean(unknown, names)}`;
}

function evaluate(source: string, program: ParseResult, bindings: Bindings): Json {
  try {
    return fromCel(metered(() => program(bindings)));
  } catch (error) {
    if (Object.values(bindings).some(hasConstructorMember)) return evaluateOnMaps(source, program, bindings);
    throw expressionFailed(source, error);
  }
}

/** Evaluates on maps in place of objects: slower, but right for objects with a member named `constructor`. */
function evaluateOnMaps(source: string, program: ParseResult, bindings: Bindings): Json {
  const maps = Object.fromEntries(Object.entries(bindings).map(([name, value]) => [name, toMaps(value)]));
  try {
    return fromCel(metered(() => program(maps)));
  } catch (error) {
    throw expressionFailed(source, error);
  }
}

function expressionFailed(source: string, error: unknown): GraphError {
  return new GraphError('EXPRESSION_FAILED', `Expression \`${source}\` failed: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
  return summary.replaceAll(/(\w)_\(/g, '$1(');
}
