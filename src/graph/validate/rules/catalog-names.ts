import type { ErrorIssueCode } from '../../definition/issue.ts';
import { fieldAt, namesAt, namesInFields } from '../../definition/names-at.ts';
import type { Named } from '../../definition/names-at.ts';
import { toolsOfCalls } from '../../definition/tools-of-calls.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonList, isJsonObject } from '../../values/json.ts';
import { didYouMean, nameInstead } from '../../values/did-you-mean.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';
import type { Subject } from '../subject.ts';

/** `UNKNOWN_TOOL`: a tool that the installation doesn't have. */
export const unknownTools: Rule = (subject) =>
  unknownEntries({
    code: 'UNKNOWN_TOOL',
    what: 'tool',
    known: subject.catalog.tools,
    named: namesUsed(subject, 'tools'),
  });

/** `UNKNOWN_TOOL`: an approval rule for a tool that the agent doesn't have. */
export const unknownApprovals: Rule = ({ nodes }) =>
  [...nodes.values()].flatMap(({ fields, path, description: { approvals } }) => {
    const rules = approvals && fields[approvals.rules];
    if (!approvals || !isJsonObject(rules)) return [];
    const tools = fields[approvals.tools];
    const own = new Set(isJsonList(tools) ? tools.filter((name) => typeof name === 'string') : []);
    return Object.keys(rules)
      .filter((name) => !own.has(name))
      .map((name) =>
        error(
          'UNKNOWN_TOOL',
          path + toPointer([approvals.rules, name]),
          `"${name}" is none of this agent's tools.${didYouMean(name, own)}`,
        ),
      );
  });

/** `INVALID_FIELD`: a node with `calls` that names no tools, where not one `llm` node alone writes the channel. */
export const unnamedTools: Rule = ({ nodes }) => {
  const all = [...nodes.values()];
  return all.flatMap(({ fields, path, description: { makesCalls } }) => {
    if (!makesCalls || fields[makesCalls.tools] !== undefined) return [];
    const channel = fields[makesCalls.channel];
    if (typeof channel !== 'string' || toolsOfCalls(channel, all)) return [];
    const message = `Name this node's tools in "${makesCalls.tools}": not one llm node alone writes "${channel}".`;
    return [error('INVALID_FIELD', path, message)];
  });
};

/** `UNKNOWN_FUNCTION`: a function that no worker registers. */
export const unknownFunctions: Rule = (subject) =>
  unknownEntries({
    code: 'UNKNOWN_FUNCTION',
    what: 'function',
    known: subject.catalog.functions,
    named: namesUsed(subject, 'functions'),
  });

/** `UNKNOWN_MODEL`: a model that is not configured. */
export const unknownModels: Rule = (subject) => {
  const { defaults } = subject.definition;
  const ofDefaults =
    typeof defaults === 'object' && defaults !== null && 'model' in defaults
      ? namesAt(defaults['model'], '/defaults/model')
      : [];
  return unknownEntries({
    code: 'UNKNOWN_MODEL',
    what: 'model',
    known: subject.catalog.models,
    named: [...namesUsed(subject, 'models'), ...ofDefaults, ...implicitModels(subject)],
  });
};

/** Returns the model `default` for nodes that name no model. */
function implicitModels({ nodes, definition }: Subject): readonly Named[] {
  const { defaults } = definition;
  if (typeof defaults === 'object' && defaults !== null && 'model' in defaults) return [];
  return [...nodes.values()].flatMap(({ fields, path, description: { uses } }) =>
    uses?.models?.every((field) => fieldAt(fields, field) === undefined) ? [{ name: 'default', path }] : [],
  );
}

/** `INVALID_FIELD`: a message processor that is neither built in nor configured. */
export const unknownProcessors: Rule = (subject) => {
  const { messageProcessors } = subject.catalog;
  return messageProcessors
    ? unknownEntries({
        code: 'INVALID_FIELD',
        what: 'message processor',
        known: Object.fromEntries(messageProcessors.map((name) => [name, true])),
        named: namesUsed(subject, 'messageProcessors'),
      })
    : [];
};

/** Returns the catalog names of one kind that nodes use. */
function namesUsed({ nodes }: Subject, kind: 'tools' | 'models' | 'functions' | 'messageProcessors'): readonly Named[] {
  return [...nodes.values()].flatMap((node) => namesInFields(node, node.description.uses?.[kind]));
}

interface Lookup {
  readonly code: ErrorIssueCode;
  readonly what: string;
  readonly known: Readonly<Record<string, unknown>>;
  readonly named: readonly Named[];
}

function unknownEntries({ code, what, known, named }: Lookup): ReturnType<Rule> {
  const names = Object.keys(known);
  return named
    .filter(({ name }) => !Object.hasOwn(known, name))
    .map(({ name, path }) => error(code, path, `There is no ${what} "${name}"${nameInstead(name, names)}`));
}
