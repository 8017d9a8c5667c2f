import { GraphError } from '../values/errors.ts';
import { isJsonList, isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { toText } from '../values/text.ts';
import { InvalidExpressionError, parseExpression } from './expression.ts';
import type { Bindings, Expression, Name } from './expression.ts';

/** A JSON value whose texts may hold `{{ cel }}`, ready to be filled. */
export interface Template {
  /** Every expression in it, for checks of what it reads. */
  readonly expressions: readonly Expression[];
  /** @throws GraphError `EXPRESSION_FAILED`, naming the field and the expression */
  fill(bindings: Bindings): Json;
}

/** A text that opens `{{` and doesn't close it, or holds no CEL in it. `path` leads to it from the template's top. */
export class InvalidTemplateError extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

/**
 * Parses a template: a text, or a list or object with texts at any depth.
 * @param field how an error at run time names the place, such as `write.amount`
 * @throws InvalidTemplateError
 */
export function parseTemplate(value: Json, names: readonly Name[], field: string): Template {
  return parseAt(value, { names, field, path: [] });
}

/**
 * Parses an object whose members are templates.
 * @param fieldOf how an error at run time names a member
 * @throws InvalidTemplateError
 */
export function parseMembers(
  members: JsonObject,
  names: readonly Name[],
  fieldOf: (member: string) => string,
): (bindings: Bindings) => JsonObject {
  const templates = Object.entries(members).map(
    ([key, value]) => [key, parseTemplate(value, names, fieldOf(key))] as const,
  );
  return (bindings) => Object.fromEntries(templates.map(([key, template]) => [key, template.fill(bindings)]));
}

interface TemplateField {
  readonly names: readonly Name[];
  readonly field: string;
  readonly path: readonly (string | number)[];
}

function parseAt(value: Json, place: TemplateField): Template {
  if (typeof value === 'string') return parseText(value, place);
  if (isJsonList(value)) return listTemplate(value.map((item, index) => parseAt(item, inside(place, index))));
  if (isJsonObject(value))
    return objectTemplate(Object.entries(value).map(([key, member]) => [key, parseAt(member, inside(place, key))]));
  return constant(value);
}

function inside(place: TemplateField, key: string | number): TemplateField {
  return { ...place, path: [...place.path, key] };
}

function constant(value: Json): Template {
  return { expressions: [], fill: () => value };
}

function listTemplate(items: readonly Template[]): Template {
  return {
    expressions: items.flatMap((item) => item.expressions),
    fill: (bindings) => items.map((item) => item.fill(bindings)),
  };
}

function objectTemplate(members: readonly (readonly [string, Template])[]): Template {
  return {
    expressions: members.flatMap(([, member]) => member.expressions),
    fill: (bindings) => Object.fromEntries(members.map(([key, member]) => [key, member.fill(bindings)])),
  };
}

/** A piece of a text: literal, or an expression whose value goes there. */
export type Segment = string | Expression;

/**
 * Splits a text at its `{{ cel }}`.
 * @throws InvalidTemplateError
 */
export function parseSegments(text: string, names: readonly Name[]): readonly Segment[] {
  return splitText(text, { names, field: '', path: [] });
}

function parseText(text: string, place: TemplateField): Template {
  if (!text.includes('{{')) return constant(text);
  const segments = splitText(text, place);
  const [only] = segments;
  const expressions = segments.filter((segment) => typeof segment !== 'string');
  if (segments.length === 1 && typeof only === 'object')
    return { expressions, fill: (bindings) => fillOne(only, bindings, place) };
  const fillSegment = (segment: Segment, bindings: Bindings): string =>
    typeof segment === 'string' ? segment : toText(fillOne(segment, bindings, place));
  return { expressions, fill: (bindings) => segments.map((segment) => fillSegment(segment, bindings)).join('') };
}

function fillOne(expression: Expression, bindings: Bindings, place: TemplateField): Json {
  try {
    return expression.evaluate(bindings);
  } catch (error) {
    if (error instanceof GraphError)
      throw new GraphError(error.code, `${fieldName(place)}: ${error.message}`, { cause: error });
    throw error;
  }
}

function fieldName(place: TemplateField): string {
  return [place.field, ...place.path].join('.');
}

function splitText(text: string, place: TemplateField): Segment[] {
  const segments: Segment[] = [];
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
    const { expression, end } = readExpression(text, open + 2, place);
    if (literal !== '') segments.push(literal);
    segments.push(expression);
    literal = '';
    at = end;
  }
  if (literal !== '') segments.push(literal);
  return segments;
}

/** An expression may hold `}}` in its maps and texts; past this many nobody wrote it by hand. */
const MAX_CLOSING_CANDIDATES = 200;

/** The first `}}` that leaves the expression complete ends it. */
function readExpression(text: string, start: number, place: TemplateField): { expression: Expression; end: number } {
  let reason: Error | null = null;
  let close = text.indexOf('}}', start);
  for (let tries = 0; close >= 0 && tries < MAX_CLOSING_CANDIDATES; tries++) {
    try {
      return { expression: parseExpression(text.slice(start, close).trim(), place.names), end: close + 2 };
    } catch (error) {
      if (!(error instanceof InvalidExpressionError)) throw error;
      if (error.kind === 'meaning') throw new InvalidTemplateError(place.path, error.message, { cause: error });
      reason ??= error;
    }
    close = text.indexOf('}}', close + 1);
  }
  const message = reason?.message ?? `"{{" at character ${start - 1} is never closed by "}}"`;
  throw new InvalidTemplateError(place.path, message, { cause: reason });
}
