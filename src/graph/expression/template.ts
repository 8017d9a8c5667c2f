import { bytesOfField } from './byte-budget.ts';
import type { ByteBudget } from './byte-budget.ts';
import { isJsonList, isJsonObject, toTemplateText } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { evaluateField, InvalidExpressionError, namingField, parseExpression } from './expression.ts';
import type { Expression, AbsentMembers } from './expression.ts';
import type { Bindings, ExpressionName } from './names.ts';
import { GraphError } from '../values/errors.ts';
import { toPointer } from '../values/json-pointer.ts';
import { withAllowance } from '../values/meter.ts';

/** A parsed JSON value whose texts may hold `{{ cel }}`. */
export interface Template {
  /** All expressions of the template, for checks of the names that they read. */
  readonly expressions: readonly Expression[];
  /**
   * Replaces each `{{ cel }}` by its value.
   * @param budget counts the bytes of the result; by default the template has its own
   * @throws GraphError `EXPRESSION_FAILED` or `PAYLOAD_TOO_LARGE`, naming the field and the expression
   */
  fill(bindings: Bindings, budget?: ByteBudget): Json;
}

/** A text with an unclosed `{{`, or with invalid CEL in it. `path` is the path to the text within the template. */
export class InvalidTemplateError extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

/**
 * Parses a template: a text, or a list or object with texts at any depth.
 * @param field its name in errors at run time, such as `write.amount`
 * @throws InvalidTemplateError for the first faulty text
 */
export function parseTemplate(
  value: Json,
  names: readonly ExpressionName[],
  field: string,
  reading: AbsentMembers = 'strict',
): Template {
  const root = parsePart(value, { names, reading, field, path: [] });
  return {
    expressions: root.expressions,
    fill(bindings, budget = bytesOfField(describeField(field))) {
      const filled = root.fill({ bindings, budget });
      if (field === '') budget.measure();
      else namingField(field, () => budget.measure());
      return filled;
    },
  };
}

function describeField(field: string): string {
  return field === '' ? 'A field' : `The field ${field}`;
}

/**
 * Parses an object whose members are templates.
 * @param fieldOf the name of a member in errors at run time
 * @throws InvalidTemplateError for the first faulty text
 * @returns a function that fills all members, which share one budget of bytes
 */
export function parseMembers(
  members: JsonObject,
  names: readonly ExpressionName[],
  fieldOf: (member: string) => string,
  reading: AbsentMembers = 'strict',
): (bindings: Bindings) => JsonObject {
  const templates = Object.entries(members).map(
    ([key, value]) => [key, parseTemplate(value, names, fieldOf(key), reading)] as const,
  );
  return (bindings) => {
    const budget = bytesOfField('All that these fields make');
    return Object.fromEntries(templates.map(([key, template]) => [key, template.fill(bindings, budget)]));
  };
}

/** A piece of a text: literal text, or an expression that is replaced by its value. */
export type TextPiece = string | Expression;

/** Splits a text at its `{{ cel }}`; `{{{{` is a literal `{{`. @throws InvalidTemplateError */
export function splitIntoPieces(text: string, names: readonly ExpressionName[]): readonly TextPiece[] {
  return splitTemplateText(text, { names, reading: 'strict', field: '', path: [] });
}

/** A value within a template; `path` is its path within the template's field. */
interface TemplatePart {
  readonly names: readonly ExpressionName[];
  readonly reading: AbsentMembers;
  readonly field: string;
  readonly path: readonly (string | number)[];
}

/** The values and the budget for filling a part. */
interface FillContext {
  readonly bindings: Bindings;
  readonly budget: ByteBudget;
}

interface FilledPart {
  readonly expressions: readonly Expression[];
  fill(filling: FillContext): Json;
}

function parsePart(value: Json, part: TemplatePart): FilledPart {
  if (typeof value === 'string') return parseText(value, part);
  if (isJsonList(value)) return listTemplate(value.map((item, index) => parsePart(item, partInside(part, index))));
  if (isJsonObject(value))
    return objectTemplate(
      Object.entries(value).map(([key, member]) => [key, parsePart(member, partInside(part, key))]),
    );
  return constantPart(value);
}

function partInside(part: TemplatePart, key: string | number): TemplatePart {
  return { ...part, path: [...part.path, key] };
}

function constantPart(value: Json): FilledPart {
  return { expressions: [], fill: () => value };
}

function listTemplate(items: readonly FilledPart[]): FilledPart {
  return {
    expressions: items.flatMap((item) => item.expressions),
    fill: (filling) => items.map((item) => item.fill(filling)),
  };
}

function objectTemplate(members: readonly (readonly [string, FilledPart])[]): FilledPart {
  return {
    expressions: members.flatMap(([, member]) => member.expressions),
    fill: (filling) => Object.fromEntries(members.map(([key, member]) => [key, member.fill(filling)])),
  };
}

/** True for a text that contains an expression, or an escaped `{{`. Its value is only known during a run. */
export function isTemplate(value: Json | undefined): value is string {
  return typeof value === 'string' && value.includes('{{');
}

function parseText(text: string, part: TemplatePart): FilledPart {
  if (!isTemplate(text)) return constantPart(text);
  const pieces = splitTemplateText(text, part);
  const field = [part.field, ...part.path].join('.');
  const [only] = pieces;
  const expressions = pieces.filter((piece) => typeof piece !== 'string');
  if (pieces.length === 1 && typeof only === 'object')
    return { expressions, fill: (filling) => evaluateField(field, only, filling.bindings, filling.budget) };
  return { expressions, fill: (filling) => pieces.map((piece) => fillPiece(field, piece, filling)).join('') };
}

/**
 * Charges literal text here, and values while they are copied, so the budget is checked before the pieces are joined.
 */
function fillPiece(field: string, piece: TextPiece, filling: FillContext): string {
  if (typeof piece !== 'string') return toTemplateText(evaluateField(field, piece, filling.bindings, filling.budget));
  filling.budget.takeText(piece);
  return piece;
}

function splitTemplateText(text: string, part: TemplatePart): TextPiece[] {
  const pieces: TextPiece[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{{', at);
    literal += text.slice(at, open < 0 ? text.length : open);
    if (open < 0) break;
    if (text.startsWith('{{{{', open)) {
      literal += '{{';
      at = open + 4;
      continue;
    }
    const { expression, end } = readExpression(text, open + 2, part);
    if (literal !== '') pieces.push(literal);
    pieces.push(expression);
    literal = '';
    at = end;
  }
  if (literal !== '') pieces.push(literal);
  return pieces;
}

/** The limit of attempts to parse: an expression may contain `}}` in maps and strings. */
const MAX_CLOSING_CANDIDATES = 200;

/** Reads up to the first `}}` before which the text is complete CEL. */
function readExpression(text: string, start: number, part: TemplatePart): { expression: Expression; end: number } {
  let reason: Error | null = null;
  let close = text.indexOf('}}', start);
  for (let tries = 0; close >= 0 && tries < MAX_CLOSING_CANDIDATES; tries++) {
    try {
      return { expression: parseExpression(text.slice(start, close).trim(), part.names, part.reading), end: close + 2 };
    } catch (error) {
      if (!(error instanceof InvalidExpressionError)) throw error;
      if (error.kind !== 'syntax') throw invalidTemplate(part, error.kind === 'size' && reason ? reason : error);
      reason ??= error;
    }
    close = text.indexOf('}}', close + 1);
  }
  throw invalidTemplate(part, reason ?? new Error(`"{{" at character ${start - 1} is never closed by "}}"`));
}

function invalidTemplate({ path }: TemplatePart, reason: Error): InvalidTemplateError {
  return new InvalidTemplateError(path, reason.message, { cause: reason });
}

/** A message of another system as the bindings of a template. */
export interface HookMessage {
  readonly body: Json;
  readonly headers: JsonObject;
}

/** A filled template, or the reason why it can't be filled. */
export type FilledTemplate = { readonly filled: Json } | { readonly failure: string };

const HOOK_NAMES: readonly ExpressionName[] = ['body', 'headers'];

/** Limit of a whole template, in units of the meter; each expression also has its own limit. */
const MAX_TEMPLATE_UNITS = 10_000_000;

/**
 * Finds the first fault of a template over messages.
 * @returns its location as a JSON Pointer, with a message; `null` if there is none
 */
export function findTemplateFault(template: Json): { readonly path: string; readonly message: string } | null {
  try {
    meterTemplate(() => parseTemplate(template, HOOK_NAMES, ''));
    return null;
  } catch (error) {
    if (error instanceof InvalidTemplateError)
      return { path: toPointer(error.path.map(String)), message: error.message };
    if (error instanceof GraphError) return { path: '', message: error.message };
    throw error;
  }
}

/** Fills a valid template from a message. The result may be as large as a field's value. */
export function fillFromMessage(template: Json, { body, headers }: HookMessage): FilledTemplate {
  try {
    return { filled: meterTemplate(() => parseTemplate(template, HOOK_NAMES, '').fill({ body, headers })) };
  } catch (error) {
    if (error instanceof GraphError) return { failure: error.message };
    throw error;
  }
}

function meterTemplate<T>(work: () => T): T {
  return withAllowance('The template', MAX_TEMPLATE_UNITS, work);
}
