import type { ErrorIssueCode } from '../../definition/issue.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonList, isJsonObject } from '../../values/json.ts';
import { didYouMean } from '../../values/text.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { namesAt } from '../subject.ts';
import type { Named, Subject, SubjectNode } from '../subject.ts';

/** `UNKNOWN_TOOL`: a tool that the installation doesn't have. */
export const unknownTools: Rule = (subject) =>
  unknown({
    code: 'UNKNOWN_TOOL',
    what: 'tool',
    known: subject.catalog.tools,
    named: [
      ...fieldsOf(subject, ['tool'], 'tool'),
      ...fieldsOf(subject, MODEL_TYPES, 'tools'),
      ...[...subject.nodes.values()].flatMap(compensationOf),
    ],
  });

/** Types of nodes that ask models. */
const MODEL_TYPES: readonly string[] = ['llm', 'agent'];

/** `UNKNOWN_TOOL`: an approval of a tool that the agent has not. */
export const unknownApprovals: Rule = ({ nodes }) =>
  [...nodes.values()].flatMap(({ type, fields: { approve, tools }, path }) => {
    if (type !== 'agent' || !isJsonObject(approve)) return [];
    const own = isJsonList(tools) ? tools.filter((name) => typeof name === 'string') : [];
    return Object.keys(approve)
      .filter((name) => !own.includes(name))
      .map((name) =>
        error(
          'UNKNOWN_TOOL',
          path + toPointer(['approve', name]),
          `"${name}" is none of this agent's tools.${didYouMean(name, own)}`,
        ),
      );
  });

function compensationOf({ type, fields: { compensate }, path }: SubjectNode): readonly Named[] {
  return type === 'tool' && isJsonObject(compensate) ? namesAt(compensate['tool'], `${path}/compensate/tool`) : [];
}

/** `UNKNOWN_FUNCTION`: a function that no worker registers. */
export const unknownFunctions: Rule = (subject) =>
  unknown({
    code: 'UNKNOWN_FUNCTION',
    what: 'function',
    known: subject.catalog.functions,
    named: fieldsOf(subject, ['function'], 'function'),
  });

/** `UNKNOWN_MODEL`: a model that nobody configured. */
export const unknownModels: Rule = (subject) => {
  const { defaults } = subject.definition;
  const ofDefaults =
    typeof defaults === 'object' && defaults !== null && 'model' in defaults
      ? namesAt(defaults['model'], '/defaults/model')
      : [];
  return unknown({
    code: 'UNKNOWN_MODEL',
    what: 'model',
    known: subject.catalog.models,
    named: [...fieldsOf(subject, MODEL_TYPES, 'model'), ...ofDefaults, ...implicitModels(subject)],
  });
};

/** A node that names no model uses the one called `default`. */
function implicitModels({ nodes, definition }: Subject): readonly Named[] {
  const { defaults } = definition;
  if (typeof defaults === 'object' && defaults !== null && 'model' in defaults) return [];
  return [...nodes.values()].flatMap(({ type, fields, path }) =>
    MODEL_TYPES.includes(type) && fields['model'] === undefined ? [{ name: 'default', path }] : [],
  );
}

/** `INVALID_FIELD`: a message processor that is neither built in nor configured. */
export const unknownProcessors: Rule = ({ nodes, catalog: { messageProcessors } }) =>
  messageProcessors
    ? unknown({
        code: 'INVALID_FIELD',
        what: 'message processor',
        known: Object.fromEntries(messageProcessors.map((name) => [name, true])),
        named: [...nodes.values()].flatMap(({ type, fields: { context }, path }) =>
          MODEL_TYPES.includes(type) && isJsonObject(context)
            ? namesAt(context['strategy'], `${path}/context/strategy`)
            : [],
        ),
      })
    : [];

function fieldsOf({ nodes }: Subject, types: readonly string[], field: string): readonly Named[] {
  return [...nodes.values()].flatMap((node) =>
    types.includes(node.type) ? namesAt(node.fields[field], `${node.path}/${field}`) : [],
  );
}

interface Lookup {
  readonly code: ErrorIssueCode;
  readonly what: string;
  readonly known: Readonly<Record<string, unknown>>;
  readonly named: readonly Named[];
}

function unknown({ code, what, known, named }: Lookup): ReturnType<Rule> {
  return named
    .filter(({ name }) => !Object.hasOwn(known, name))
    .map(({ name, path }) =>
      error(code, path, `There is no ${what} "${name}".${didYouMean(name, Object.keys(known))}`),
    );
}
