import { fieldAt } from '../../definition/node-types/describe-node.ts';
import { InvalidExpressionError, parseExpression } from '../../expression/expression.ts';
import { ERROR_NAMES, NODE_NAMES, RESULT_NAMES } from '../../expression/names.ts';
import type { ExpressionName } from '../../expression/names.ts';
import { InvalidTemplateError, isTemplate, parseTemplate } from '../../expression/template.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonObject } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { abbreviate } from '../../values/text.ts';
import { defineRule, error, issueWarning } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject, SubjectNode } from '../subject.ts';
import { readIssues } from './expressions.ts';
import { findNullNames } from './null-names.ts';
import type { NullNames } from './null-names.ts';

/** Finds invalid templates, unknown channels that templates read, and parts that hardly do what was meant. */
export const templateRule = defineRule({
  codes: ['INVALID_TEMPLATE', 'UNKNOWN_CHANNEL', 'DOUBTFUL_EXPRESSION'],
  find: (subject) => templatesOf(subject).flatMap(({ value, ...scope }) => checkTexts(subject, value, scope)),
});

/** The location of a template, and the names that it may use. */
interface TemplateScope {
  readonly names: readonly ExpressionName[];
  readonly path: string;
  readonly nullNames: NullNames;
}

interface TemplatedField extends TemplateScope {
  readonly value: Json;
}

/** Returns the fields of a definition whose texts may hold `{{ cel }}`. */
export function templatesOf(subject: ValidationSubject): readonly TemplatedField[] {
  const { onFail } = subject.definition;
  const write = isJsonObject(onFail) ? onFail['write'] : undefined;
  const nullNamesIn = findNullNames(subject);
  return [
    ...[...subject.nodes.values()].flatMap((node) => templatedFields(node, nullNamesIn(node))),
    ...(isJsonObject(write) ? [{ value: write, names: ERROR_NAMES, path: '/onFail/write', nullNames: {} }] : []),
  ];
}

function templatedFields({ fields, path, description }: SubjectNode, nullNames: NullNames): readonly TemplatedField[] {
  const { templates: named, resultTemplates = [] } = description;
  const { write, onError } = fields;
  const errorWrite = isJsonObject(onError) ? onError['write'] : undefined;
  const given: readonly OptionalTemplate[] = [
    ...named.map((field) => ({ value: fields[field], names: NODE_NAMES, field })),
    { value: isJsonObject(write) ? write : undefined, names: RESULT_NAMES, field: 'write' },
    ...resultTemplates.map((field) => ({ value: fieldAt(fields, field), names: RESULT_NAMES, field })),
    { value: isJsonObject(errorWrite) ? errorWrite : undefined, names: ERROR_NAMES, field: 'onError/write' },
  ];
  return given.flatMap(({ value, names, field }) =>
    value === undefined ? [] : [{ value, names, path: `${path}/${field}`, nullNames }],
  );
}

interface OptionalTemplate {
  readonly value: Json | undefined;
  readonly names: readonly ExpressionName[];
  readonly field: string;
}

/** Checks each text of a value separately, so that each invalid one gets its own issue. */
function checkTexts(
  subject: ValidationSubject,
  value: Json,
  { names, path, nullNames }: TemplateScope,
): GraphIssues<'INVALID_TEMPLATE' | 'UNKNOWN_CHANNEL' | 'DOUBTFUL_EXPRESSION'> {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, member]: [string, Json]) =>
      checkTexts(subject, member, { names, path: path + toPointer([key]), nullNames }),
    );
  }
  try {
    return parseTemplate(value, names, '').expressions.flatMap((expression) =>
      readIssues(subject, expression, { path, code: 'INVALID_TEMPLATE', nullNames }),
    );
  } catch (thrown) {
    if (thrown instanceof InvalidTemplateError) return [error('INVALID_TEMPLATE', path, thrown.message)];
    throw thrown;
  }
}

/** Finds a text without `{{ }}` that is an expression over the state or a result. */
export const mistakenTexts = defineRule({
  codes: ['LOOKS_LIKE_EXPRESSION'],
  find: (subject) => templatesOf(subject).flatMap(({ value, names, path }) => mistakenTextsIn(value, names, path)),
});

function mistakenTextsIn(
  value: Json,
  names: readonly ExpressionName[],
  path: string,
): GraphIssues<'LOOKS_LIKE_EXPRESSION'> {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, member]: [string, Json]) =>
      mistakenTextsIn(member, names, path + toPointer([key])),
    );
  if (typeof value !== 'string' || !isExpression(value, names)) return [];
  const message = 'This text looks like an expression, and is taken as it is';
  return [issueWarning('LOOKS_LIKE_EXPRESSION', path, message, `Write "{{ ${abbreviate(value.trim(), 100)} }}"`)];
}

/** The beginning of an expression. Prose may begin in the same way, but is not valid CEL. */
const EXPRESSION_START = /^\s*(?:state|run|result|item|args)\s*[.[]/;
const MAX_TEMPLATE_LENGTH = 500;

function isExpression(text: string, names: readonly ExpressionName[]): boolean {
  if (text.length > MAX_TEMPLATE_LENGTH || isTemplate(text) || !EXPRESSION_START.test(text)) return false;
  try {
    return parseExpression(text, names).source !== '';
  } catch (thrown) {
    if (thrown instanceof InvalidExpressionError) return false;
    throw thrown;
  }
}
