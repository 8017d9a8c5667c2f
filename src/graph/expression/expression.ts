import { Environment } from '@marcbachmann/cel-js';
import type { ParseResult } from '@marcbachmann/cel-js';
import { GraphError } from '../values/errors.ts';
import type { Json } from '../values/json.ts';
import { createMemo } from '../values/memo.ts';
import { didYouMean } from '../values/text.ts';
import { registerFunctions } from './functions.ts';
import { afterCheck, beforeCheck } from './instrument.ts';
import { metered } from './meter.ts';
import { registerNumbers } from './numbers.ts';
import { findReferences } from './references.ts';
import type { References } from './references.ts';
import { allNodes, isSyntaxNode } from './syntax-node.ts';
import { hasConstructorMember, fromCel, toMaps } from './value.ts';

/** The names that an expression may use at its place (specification, "Expressions"). */
export type Name = 'state' | 'run' | 'item' | 'index' | 'args' | 'result' | 'error' | 'current' | 'update';
export type Bindings = Readonly<Partial<Record<Name, Json>>>;

export const RUN_FIELDS: readonly string[] = ['id', 'threadId', 'tenantId', 'step', 'visit', 'graph', 'startedAt'];

/** A parsed CEL expression. */
export interface Expression {
  readonly source: string;
  readonly references: References;
  /** @throws GraphError `EXPRESSION_FAILED`, naming the expression, when it can't be evaluated on these values */
  evaluate(bindings: Bindings): Json;
}

/** An expression that can't be used where it stands: it is no CEL (`syntax`), or names or mixes what it must not (`meaning`). */
export class InvalidExpressionError extends Error {
  readonly kind: 'syntax' | 'meaning';

  constructor(kind: 'syntax' | 'meaning', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const expressions = createMemo<Expression>(10_000);
const environments = createMemo<Environment>(100);

/**
 * Parses and checks one CEL expression; equal expressions share one parse.
 * @param names what is in scope at its place
 * @throws InvalidExpressionError with the reason
 */
export function parseExpression(source: string, names: readonly Name[]): Expression {
  return expressions(`${names.join(' ')}\n${source}`, () => parse(source, names));
}

function parse(source: string, names: readonly Name[]): Expression {
  const program = parseSyntax(source, names);
  const root: unknown = program.ast;
  if (!isSyntaxNode(root)) throw new TypeError('The CEL library gave no syntax tree');
  const nodes = allNodes(root);
  beforeCheck(nodes);
  const { valid, error } = program.check();
  if (!valid) throw new InvalidExpressionError('meaning', explain(error, names));
  const references = findReferences(root);
  afterCheck(nodes);
  return { source, references, evaluate: (bindings) => evaluate(source, program, bindings) };
}

function evaluate(source: string, program: ParseResult, bindings: Bindings): Json {
  try {
    return fromCel(metered(() => program(bindings)));
  } catch (error) {
    if (Object.values(bindings).some(hasConstructorMember)) return evaluateOnMaps(source, program, bindings);
    throw failed(source, error);
  }
}

/** Slower, and right also where objects have a member named `constructor`. */
function evaluateOnMaps(source: string, program: ParseResult, bindings: Bindings): Json {
  const maps = Object.fromEntries(Object.entries(bindings).map(([name, value]) => [name, toMaps(value)]));
  try {
    return fromCel(metered(() => program(maps)));
  } catch (error) {
    throw failed(source, error);
  }
}

function failed(source: string, error: unknown): GraphError {
  return new GraphError('EXPRESSION_FAILED', `Expression \`${source}\` failed: ${reasonOf(error)}`, { cause: error });
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

function parseSyntax(source: string, names: readonly Name[]): ParseResult {
  try {
    return environmentFor(names).parse(source);
  } catch (error) {
    throw new InvalidExpressionError('syntax', reasonOf(error), { cause: error });
  }
}

function explain(error: unknown, names: readonly Name[]): string {
  const reason = reasonOf(error);
  const unknown = /^Unknown variable: (\S+)$/.exec(reason)?.[1];
  if (unknown === undefined) return reason;
  return `"${unknown}" is not defined here; known are ${names.join(', ')}.${didYouMean(unknown, names)}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
  return summary.replaceAll(/(\w)_\(/g, '$1(');
}

/** What every node's expressions see. */
export const NODE_NAMES: readonly Name[] = ['state', 'run', 'item', 'index'];
