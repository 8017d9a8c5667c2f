import type { ParseResult } from '@marcbachmann/cel-js';
import { hasConstructorMember, fromCel, toMaps } from './value.ts';
import { bytesOfField } from './byte-budget.ts';
import type { ByteBudget } from './byte-budget.ts';
import { GraphError } from '../values/errors.ts';
import { isContainer } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { createMemo } from '../values/collections.ts';
import { priceOfText, spendUnits, withAllowance } from '../values/meter.ts';
import { abbreviate } from '../values/text.ts';
import { findLostLiteral } from './literals.ts';
import { meterSyntaxTree, prepareForCheck, readAbsentAsNull } from './instrument.ts';
import { allNodes, isSyntaxNode } from './syntax-node.ts';
import { findDoubts } from './doubts.ts';
import type { Doubt, TypesAtPath } from './doubts.ts';
import { findPaths, findReferences, findSources, pathText } from './references.ts';
import type { AccessPath, ReadMembers, ExpressionSources } from './references.ts';
import { environmentForNames } from './cel-environment.ts';
import { explainExpressionError, explainFailure, MAX_QUOTED_SOURCE, MAX_ERROR_REASON } from './explain-error.ts';
import type { ExpressionName, Bindings } from './names.ts';

/**
 * How absent members are read. They fail an expression that is `strict`; in one over a `decision`, absent members of
 * `result.values` and `result.args` are null, because a rejection has no values.
 */
export type AbsentMembers = 'strict' | 'decision';

/** A parsed CEL expression. */
export interface Expression {
  readonly source: string;
  readonly references: ReadMembers;
  /** The origins of the expression's value, computed on first use. */
  sources(this: void): ExpressionSources;
  /** Finds parts that can't do what was probably meant, by the types of the values that the expression reads. */
  doubts(this: void, typesAt: TypesAtPath): readonly Doubt[];
  /**
   * Evaluates the expression.
   * @param budget counts the bytes of the result; the expressions of one field share one, which the field measures
   * @throws GraphError `EXPRESSION_FAILED` or `PAYLOAD_TOO_LARGE`, naming the expression and the reason
   */
  evaluate(bindings: Bindings, budget?: ByteBudget): Json;
}

type InvalidKind = 'syntax' | 'size' | 'meaning';

/**
 * A text that is not valid CEL (`syntax`), is too long (`size`), or uses an unknown name or wrong types (`meaning`).
 */
export class InvalidExpressionError extends Error {
  readonly kind: InvalidKind;

  constructor(kind: InvalidKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * Parses and checks a CEL expression. Equal expressions share one parse.
 * @param names the names in scope
 * @throws InvalidExpressionError with the reason
 */
export function parseExpression(
  source: string,
  names: readonly ExpressionName[],
  reading: AbsentMembers = 'strict',
): Expression {
  if (source.length > MAX_EXPRESSION_LENGTH)
    throw new InvalidExpressionError(
      'size',
      `An expression has at most ${MAX_EXPRESSION_LENGTH} characters, not ${source.length}`,
    );
  spendUnits(PARSE_PRICE * priceOfText(source));
  return knownExpressions(`${reading} ${names.join(' ')}\n${source}`, () => parseProgram(source, names, reading));
}

/** Evaluates the expression of a field. @throws as `evaluateParsed`, also naming the field */
export function evaluateField(field: string, expression: Expression, bindings: Bindings, budget?: ByteBudget): Json {
  return namingField(field, () => expression.evaluate(bindings, budget));
}

/** Runs work for a field. @throws the GraphErrors of the work, with the name of the field */
export function namingField<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof GraphError) throw new GraphError(error.code, `${field}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Limits of one expression. The units belong to the interpreter version. */
const MAX_EXPRESSION_LENGTH = 10_000;

const MAX_EXPRESSION_UNITS = 1_000_000;

/** Price of parsing, as a multiple of the price of reading the text. */
const PARSE_PRICE = 500;

/** A syntax tree takes about a hundred times the memory of its text. */
const knownExpressions = createMemo<Expression>({ maxEntries: 10_000, maxSize: 500_000 });

function parseProgram(source: string, names: readonly ExpressionName[], reading: AbsentMembers): Expression {
  const program = parseSyntax(source, names);
  const root: unknown = program.ast;
  if (!isSyntaxNode(root)) throw new TypeError('The CEL library gave no syntax tree');
  const nodes = allNodes(root);
  const lost = findLostLiteral(nodes);
  if (lost !== null) throw new InvalidExpressionError('meaning', lost);
  prepareForCheck(nodes);
  const { valid, error } = program.check();
  if (!valid) throw new InvalidExpressionError('meaning', explainExpressionError(error, { source, names }));
  const references = findReferences(root);
  meterSyntaxTree(nodes);
  if (reading === 'decision') readAbsentAsNull(nodes);
  let sources: ExpressionSources | null = null;
  const parsed: ParsedExpression = { source, program, paths: () => findPaths(root) };
  return {
    source,
    references,
    sources: () => (sources ??= findSources(root)),
    doubts: (typesAt) => findDoubts(root, source, typesAt),
    evaluate: (bindings, budget) => evaluateParsed(parsed, bindings, budget),
  };
}

function parseSyntax(source: string, names: readonly ExpressionName[]): ParseResult {
  const environment = environmentForNames(names);
  try {
    return environment.parse(source);
  } catch (error) {
    throw new InvalidExpressionError('syntax', explainExpressionError(error, { source, names }), { cause: error });
  }
}

interface ParsedExpression extends Pick<Expression, 'source'> {
  readonly program: ParseResult;
  readonly paths: () => readonly AccessPath[];
}

function evaluateParsed(parsed: ParsedExpression, bindings: Bindings, shared?: ByteBudget): Json {
  const budget = shared ?? bytesOfField('Its value');
  const value = evaluateWithin(parsed, bindings, budget);
  if (!shared) namingField(`Expression \`${abbreviate(parsed.source, MAX_QUOTED_SOURCE)}\``, () => budget.measure());
  return value;
}

function evaluateWithin(parsed: ParsedExpression, bindings: Bindings, budget: ByteBudget): Json {
  try {
    return runProgram(parsed, bindings, budget);
  } catch (error) {
    if (error instanceof GraphError || !Object.values(bindings).some(hasConstructorMember))
      throw expressionFailed(parsed, bindings, error);
    return evaluateOnMaps(parsed, bindings, budget);
  }
}

/**
 * Evaluates with maps instead of objects. This is slower, but correct for objects with a member named `constructor`.
 */
function evaluateOnMaps(parsed: ParsedExpression, bindings: Bindings, budget: ByteBudget): Json {
  const maps = Object.fromEntries(Object.entries(bindings).map(([name, value]) => [name, toMaps(value)]));
  try {
    return runProgram(parsed, maps, budget);
  } catch (error) {
    throw expressionFailed(parsed, bindings, error);
  }
}

/** The copy of the result has its own limit: the budget. */
function runProgram({ program }: ParsedExpression, bindings: Record<string, unknown>, budget: ByteBudget): Json {
  return fromCel(
    withAllowance('it', MAX_EXPRESSION_UNITS, () => evaluateStrictly(program, bindings)),
    budget,
  );
}

/** Fails an evaluation that has become too expensive even where the library has caught that error. */
function evaluateStrictly(program: ParseResult, bindings: Record<string, unknown>): unknown {
  try {
    return program(bindings);
  } finally {
    spendUnits(0);
  }
}

function expressionFailed({ source, paths }: ParsedExpression, bindings: Bindings, error: unknown): GraphError {
  const code = error instanceof GraphError ? error.code : 'EXPRESSION_FAILED';
  const reason = explainFailure(error);
  const nulls = MENTIONS_NULL.test(reason) ? nullValues(paths(), bindings) : '';
  return new GraphError(code, `Expression \`${abbreviate(source, MAX_QUOTED_SOURCE)}\` failed: ${reason}${nulls}`, {
    cause: error,
  });
}

const MENTIONS_NULL = /\bnull\b|^No such key/;

/** Lists the values among those that an expression reads that are null, such as `; state.a is null`; may be empty. */
function nullValues(paths: readonly AccessPath[], bindings: Bindings): string {
  const found = new Set(paths.flatMap((path) => firstNull(path, bindings) ?? []));
  return [...found]
    .map((path) => `; ${path} is null`)
    .join('')
    .slice(0, MAX_ERROR_REASON);
}

/** Returns the part of a path at which a value is null; `null` if there is none. */
function firstNull(path: AccessPath, bindings: Bindings): string | null {
  let value: unknown = bindings;
  for (const [at, key] of path.entries()) {
    value = isContainer(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
    if (value === null) return pathText(path.slice(0, at + 1));
  }
  return null;
}
