import { Environment } from '@marcbachmann/cel-js';
import type { ParseResult } from '@marcbachmann/cel-js';
import { bytesOfField, hasConstructorMember, fromCel, toMaps } from './value.ts';
import type { ByteBudget } from './value.ts';
import { GraphError } from '../values/errors.ts';
import { isContainer, isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { createMemo } from '../values/collections.ts';
import { priceOfText, spend, withAllowance } from '../values/meter.ts';
import { didYouMean } from '../values/did-you-mean.ts';
import { abbreviate } from '../values/text.ts';
import { registerFunctions } from './functions.ts';
import { instrument, prepareForCheck } from './instrument.ts';
import { registerNumbers, allNodes, isSyntaxNode } from './syntax-node.ts';
import { findReferences, findSources } from './references.ts';
import type { References, Sources } from './references.ts';

/** A name that an expression may use; each field of a definition, or of a hook, allows some (specification, "Expressions"). */
export type Name =
  | 'state'
  | 'run'
  | 'item'
  | 'index'
  | 'args'
  | 'result'
  | 'error'
  | 'current'
  | 'update'
  | 'body'
  | 'headers';

/** The values of the names in scope. */
export type Bindings = Readonly<Partial<Record<Name, Json>>>;

/** The names that all expressions of nodes and edges may use. */
export const NODE_NAMES: readonly Name[] = ['state', 'run', 'item', 'index'];

/** The names that templates over the result of a node may use. */
export const RESULT_NAMES: readonly Name[] = [...NODE_NAMES, 'result'];

/** The names that templates over the error of a node may use. */
export const ERROR_NAMES: readonly Name[] = [...NODE_NAMES, 'error'];

/** The names that approval rules over the arguments of a call may use. */
export const RULE_NAMES: readonly Name[] = [...NODE_NAMES, 'args'];

/** The members of `run`. */
export const RUN_FIELDS: readonly string[] = ['id', 'threadId', 'tenantId', 'step', 'visit', 'graph', 'startedAt'];

/** A parsed CEL expression. */
export interface Expression {
  readonly source: string;
  readonly references: References;
  /** The origins of the expression's value, computed on first use. */
  sources(this: void): Sources;
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
export function parseExpression(source: string, names: readonly Name[]): Expression {
  if (source.length > MAX_LENGTH)
    throw new InvalidExpressionError(
      'size',
      `An expression has at most ${MAX_LENGTH} characters, not ${source.length}`,
    );
  spend(PARSE_PRICE * priceOfText(source));
  return expressions(`${names.join(' ')}\n${source}`, () => parse(source, names));
}

/** Evaluates the expression of a field. @throws as `evaluate`, also naming the field */
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
const MAX_LENGTH = 10_000;
const MAX_UNITS = 1_000_000;

/** Price of parsing, as a multiple of the price of reading the text. */
const PARSE_PRICE = 500;

/** A syntax tree takes about a hundred times the memory of its text. */
const expressions = createMemo<Expression>({ maxEntries: 10_000, maxSize: 500_000 });
const environments = createMemo<Environment>({ maxEntries: 100, maxSize: 100_000 });

function parse(source: string, names: readonly Name[]): Expression {
  const program = parseSyntax(source, names);
  const root: unknown = program.ast;
  if (!isSyntaxNode(root)) throw new TypeError('The CEL library gave no syntax tree');
  const nodes = allNodes(root);
  prepareForCheck(nodes);
  const { valid, error } = program.check();
  if (!valid) throw new InvalidExpressionError('meaning', explain(error, { source, names }));
  const references = findReferences(root);
  instrument(nodes);
  let sources: Sources | null = null;
  return {
    source,
    references,
    sources: () => (sources ??= findSources(root)),
    evaluate: (bindings, budget) => evaluate({ source, program, references }, bindings, budget),
  };
}

function parseSyntax(source: string, names: readonly Name[]): ParseResult {
  const environment = environmentFor(names);
  try {
    return environment.parse(source);
  } catch (error) {
    throw new InvalidExpressionError('syntax', explain(error, { source, names }), { cause: error });
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
  limitTypes(environment);
  return environment;
}

interface SourceText {
  readonly source: string;
  readonly names: readonly Name[];
}

/** Describes the fault of an expression, its position, and how to write in CEL what was probably meant. */
function explain(error: unknown, { source, names }: SourceText): string {
  const reason = reasonOf(error);
  const unknown = /^Unknown variable: (\S+)$/.exec(reason)?.[1];
  if (unknown === undefined)
    return `${reason}${positionOf(error)} in \`${abbreviate(source, MAX_QUOTED)}\`${celHint(source)}`;
  const hint = celHint(unknown) || `.${didYouMean(unknown, names)}`;
  return `"${unknown}" is not defined here; known are ${names.join(', ')}${hint}`;
}

/** Returns the position in an expression that an error of the CEL library names, counted from 1. */
function positionOf(error: unknown): string {
  const range: unknown = error instanceof Error && 'range' in error ? error.range : null;
  const start: unknown = isContainer(range) && 'start' in range ? range.start : null;
  return typeof start === 'number' ? ` at character ${start + 1}` : '';
}

interface ParsedExpression extends Pick<Expression, 'source' | 'references'> {
  readonly program: ParseResult;
}

function evaluate(parsed: ParsedExpression, bindings: Bindings, shared?: ByteBudget): Json {
  const budget = shared ?? bytesOfField('Its value');
  const value = evaluateWithin(parsed, bindings, budget);
  if (!shared) namingField(`Expression \`${abbreviate(parsed.source, MAX_QUOTED)}\``, () => budget.measure());
  return value;
}

function evaluateWithin(parsed: ParsedExpression, bindings: Bindings, budget: ByteBudget): Json {
  try {
    return run(parsed, bindings, budget);
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
    return run(parsed, maps, budget);
  } catch (error) {
    throw expressionFailed(parsed, bindings, error);
  }
}

/** The copy of the result has its own limit: the budget. */
function run({ program }: ParsedExpression, bindings: Record<string, unknown>, budget: ByteBudget): Json {
  return fromCel(
    withAllowance('it', MAX_UNITS, () => evaluateStrictly(program, bindings)),
    budget,
  );
}

/** Fails an evaluation that has become too expensive even where the library has caught that error. */
function evaluateStrictly(program: ParseResult, bindings: Record<string, unknown>): unknown {
  try {
    return program(bindings);
  } finally {
    spend(0);
  }
}

function expressionFailed({ source, references }: ParsedExpression, { state }: Bindings, error: unknown): GraphError {
  const code = error instanceof GraphError ? error.code : 'EXPRESSION_FAILED';
  const reason = `${reasonOf(error)}${MENTIONS_NULL.test(reasonOf(error)) ? nullChannels(references, state) : ''}`;
  return new GraphError(code, `Expression \`${abbreviate(source, MAX_QUOTED)}\` failed: ${reason}`, { cause: error });
}

const MENTIONS_NULL = /\bnull\b|^No such key/;

/** Lists the channels without a value that an expression reads, such as `; state.a is null`; may be empty. */
function nullChannels({ channels }: References, state: Json = null): string {
  if (!isJsonObject(state)) return '';
  const names = [...channels].filter((name) => own(state, name) === null);
  return names
    .map((name) => `; state.${name} is null`)
    .join('')
    .slice(0, MAX_REASON);
}

/** Limits in characters of texts in error messages. */
const MAX_QUOTED = 200;
const MAX_REASON = 400;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return abbreviate(String(error), MAX_REASON);
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
  return abbreviate(summary, MAX_REASON).replaceAll(/(\w)_\(/g, '$1(');
}

/** Patterns of other languages that people write, and what to write in CEL. */
const HINTS: readonly (readonly [written: RegExp, cel: string])[] = [
  [/^\s*\{\{/, 'An expression stands here without {{ }}'],
  [/[=!]==/, 'CEL writes == and !='],
  [/(?<!\|)\|(?!\|)/, 'CEL has no pipes: it calls functions, such as state.name.upperAscii()'],
  [/\?\?/, 'CEL writes coalesce(a, b)'],
  [/\?\.(?!\d)/, 'CEL writes state.?a.orValue(b)'],
  [/=>/, 'CEL writes list.map(x, x + 1) and list.filter(x, x > 1)'],
  [/`/, 'CEL joins texts by +'],
  [/\.toUpperCase\b/, 'CEL writes upperAscii()'],
  [/\.toLowerCase\b/, 'CEL writes lowerAscii()'],
  [/\.length\b/, 'CEL writes size(x)'],
  [/\.includes\b/, 'CEL writes text.contains(part) and item in list'],
  [/\.(?:push|concat)\b/, 'CEL joins lists by +'],
  [/\bJSON\.stringify\b/, 'CEL writes json(x)'],
  [/\bJSON\.parse\b/, 'CEL writes parseJson(text)'],
  [/\btypeof\b/, 'CEL writes type(x)'],
  [/\b(?:undefined|None)\b/, 'CEL writes null, and has(state.a) where a member may be absent'],
  [/\b(?:and|or|not)\b/, 'CEL writes &&, || and !'],
  [/\b(?:now|Date)\b/, 'An expression knows no clock; run.startedAt is when the run began'],
];

/** Returns a hint that ends a message about invalid CEL, such as ` CEL writes == and !=.`; may be empty. */
function celHint(source: string): string {
  const code = source.replaceAll(TEXT, '""');
  const hint = HINTS.find(([written]) => written.test(code))?.[1];
  return hint === undefined ? '' : `. ${hint}`;
}

/** A string literal in an expression. Its content is not code. */
const TEXT = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

/** The depth to which types of values are distinguished when a function is chosen; deeper parts have any type. */
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
 * Limits the types that an environment creates for values. The library keeps each type forever, and differently nested
 * values would create an unlimited number of them.
 */
function limitTypes(environment: Environment): void {
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
  if (levels === 0 || !isContainer(value)) return type;
  const first = firstOf(value, type.kind);
  if (first === undefined) return type;
  const typeOfFirst = typeOf(evaluator, first, levels - 1);
  if (type.kind === 'list') return evaluator.registry.getListType(typeOfFirst);
  return evaluator.registry.getMapType(evaluator.stringType, typeOfFirst);
}

/** Returns the first element of a list or a map; `undefined` if it is empty. */
function firstOf(value: object, kind: string): unknown {
  if (kind === 'list') return Array.isArray(value) ? value[0] : undefined;
  if (kind !== 'map') return undefined;
  if (value instanceof Map) return value.values().next().value;
  for (const key in value) return Reflect.get(value, key);
  return undefined;
}

function isEvaluator(value: unknown): value is Evaluator {
  return isContainer(value) && 'debugTypeDeep' in value && 'registry' in value;
}
