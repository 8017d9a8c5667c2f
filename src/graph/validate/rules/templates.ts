import { ownFields } from '../../definition/custom-fields.ts';
import { NODE_NAMES } from '../../expression/expression.ts';
import type { Name } from '../../expression/expression.ts';
import { InvalidTemplateError, parseTemplate } from '../../expression/template.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonObject, own } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';
import type { Subject, SubjectNode } from '../subject.ts';
import { readIssues } from './expressions.ts';

/** `INVALID_TEMPLATE`, and `UNKNOWN_CHANNEL` for what templates read. */
export const templates: Rule = (subject) =>
  [...subject.nodes.values()]
    .flatMap(templatedFields)
    .flatMap(({ value, names, path }) => check(subject, value, { names, path }));

/** Templated fields of the node types, besides those of every node. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  llm: ['system', 'prompt'],
  agent: ['system', 'prompt'],
  tool: ['args'],
  function: ['args'],
  approval: ['title', 'details', 'args'],
  subgraph: ['input'],
  wait: ['for', 'until', 'event'],
};

interface TemplatedField {
  readonly value: Json;
  readonly names: readonly Name[];
  readonly path: string;
}

const TYPES: ReadonlySet<string> = new Set([...Object.keys(FIELDS), 'set']);

/** Every field of a node whose texts may hold `{{ cel }}`. */
export function templatedFields({ type, fields, path }: SubjectNode): readonly TemplatedField[] {
  const names = TYPES.has(type) ? (own(FIELDS, type) ?? []) : Object.keys(ownFields(fields));
  const ofType = names.flatMap((field) => {
    const value = fields[field];
    return value === undefined ? [] : [{ value, names: NODE_NAMES, path: `${path}/${field}` }];
  });
  const { write, onError, compensate } = fields;
  const errorWrite = isJsonObject(onError) ? onError['write'] : undefined;
  const undoArgs = type === 'tool' && isJsonObject(compensate) ? compensate['args'] : undefined;
  return [
    ...ofType,
    ...(isJsonObject(write)
      ? [{ value: write, names: [...NODE_NAMES, 'result' as const], path: `${path}/write` }]
      : []),
    ...(undoArgs === undefined
      ? []
      : [{ value: undoArgs, names: [...NODE_NAMES, 'result' as const], path: `${path}/compensate/args` }]),
    ...(isJsonObject(errorWrite)
      ? [{ value: errorWrite, names: [...NODE_NAMES, 'error' as const], path: `${path}/onError/write` }]
      : []),
  ];
}

/** Texts are checked one by one: each bad one is an issue of its own. */
function check(subject: Subject, value: Json, { names, path }: Omit<TemplatedField, 'value'>): ReturnType<Rule> {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, member]: [string, Json]) =>
      check(subject, member, { names, path: path + toPointer([key]) }),
    );
  }
  try {
    return parseTemplate(value, names, '').expressions.flatMap((expression) =>
      readIssues(subject, expression, { path, code: 'INVALID_TEMPLATE' }),
    );
  } catch (thrown) {
    if (thrown instanceof InvalidTemplateError) return [error('INVALID_TEMPLATE', path, thrown.message)];
    throw thrown;
  }
}
