import type { ErrorIssueCode } from '../issue.ts';
import { isJsonObject } from '../json.ts';
import { didYouMean } from '../nearest.ts';
import { error } from './rule.ts';
import type { Rule } from './rule.ts';
import { namesAt } from './subject.ts';
import type { Named, Subject, SubjectNode } from './subject.ts';

/** `UNKNOWN_TOOL`: a tool that the installation doesn't have. */
export const unknownTools: Rule = (subject) =>
  unknown({
    code: 'UNKNOWN_TOOL',
    what: 'tool',
    known: subject.catalog.tools,
    named: [...fieldsOf(subject, 'tool', 'tool'), ...[...subject.nodes.values()].flatMap(compensationOf)],
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
    named: fieldsOf(subject, 'function', 'function'),
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
    named: [...fieldsOf(subject, 'llm', 'model'), ...ofDefaults, ...implicitModels(subject)],
  });
};

/** An llm node that names no model uses the one called `default`. */
function implicitModels({ nodes, definition }: Subject): readonly Named[] {
  const { defaults } = definition;
  if (typeof defaults === 'object' && defaults !== null && 'model' in defaults) return [];
  return [...nodes.values()].flatMap(({ type, fields, path }) =>
    type === 'llm' && fields['model'] === undefined ? [{ name: 'default', path }] : [],
  );
}

function fieldsOf({ nodes }: Subject, type: string, field: string): readonly Named[] {
  return [...nodes.values()].flatMap((node) =>
    node.type === type ? namesAt(node.fields[field], `${node.path}/${field}`) : [],
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
