import { fieldAt, namesAt, namesInFields } from '../../definition/node-types/describe-node.ts';
import type { LocatedName } from '../../definition/node-types/describe-node.ts';
import { isOfferedTool, offeredNames } from '../../definition/node-types/offered-tool.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonList, isJsonObject } from '../../values/json.ts';
import { didYouMean, suggestNames } from '../../values/did-you-mean.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject } from '../subject.ts';

/** Finds a tool that the installation doesn't have. */
export const unknownTools = defineRule({
  codes: ['UNKNOWN_TOOL'],
  find: (subject) =>
    unknownEntries({
      code: 'UNKNOWN_TOOL',
      what: 'tool',
      known: subject.catalog.tools,
      named: catalogNamesUsed(subject, 'tools'),
    }),
});

/** Finds an approval rule for a tool that the agent doesn't have. */
export const unknownApprovals = defineRule({
  codes: ['UNKNOWN_TOOL'],
  find: ({ nodes }) =>
    [...nodes.values()].flatMap(({ fields, path, description: { approvals } }) => {
      const rules = approvals && fields[approvals.rules];
      if (!approvals || !isJsonObject(rules)) return [];
      const tools = fields[approvals.tools];
      const own = new Set(isJsonList(tools) ? offeredNames(tools.filter(isOfferedTool)) : []);
      return Object.keys(rules)
        .filter((name) => !own.has(name))
        .map((name) =>
          error(
            'UNKNOWN_TOOL',
            path + toPointer([approvals.rules, name]),
            `"${name}" is none of this agent's tools.${didYouMean(name, own)}`,
          ),
        );
    }),
});

/** Finds a function that no worker registers. */
export const unknownFunctions = defineRule({
  codes: ['UNKNOWN_FUNCTION'],
  find: (subject) =>
    unknownEntries({
      code: 'UNKNOWN_FUNCTION',
      what: 'function',
      known: subject.catalog.functions,
      named: catalogNamesUsed(subject, 'functions'),
    }),
});

/** Finds a model that is not configured. */
export const unknownModels = defineRule({
  codes: ['UNKNOWN_MODEL'],
  find: (subject) => {
    const { defaults } = subject.definition;
    const ofDefaults = isJsonObject(defaults) ? namesAt(defaults['model'], '/defaults/model') : [];
    return unknownEntries({
      code: 'UNKNOWN_MODEL',
      what: 'model',
      known: subject.catalog.models,
      named: [...catalogNamesUsed(subject, 'models'), ...ofDefaults, ...implicitModels(subject)],
    });
  },
});

/** Returns the model `default` for nodes that name no model. */
function implicitModels({ nodes, definition }: ValidationSubject): readonly LocatedName[] {
  const { defaults } = definition;
  if (isJsonObject(defaults) && 'model' in defaults) return [];
  return [...nodes.values()].flatMap(({ fields, path, description: { uses } }) =>
    uses?.models?.every((field) => fieldAt(fields, field) === undefined) ? [{ name: 'default', path }] : [],
  );
}

/** Finds a message processor that is neither built in nor configured. */
export const unknownProcessors = defineRule({
  codes: ['INVALID_FIELD'],
  find: (subject) => {
    const { messageProcessors } = subject.catalog;
    return messageProcessors
      ? unknownEntries({
          code: 'INVALID_FIELD',
          what: 'message processor',
          known: Object.fromEntries(messageProcessors.map((name) => [name, true])),
          named: catalogNamesUsed(subject, 'messageProcessors'),
        })
      : [];
  },
});

/** Returns the catalog names of one kind that nodes use. */
function catalogNamesUsed(
  { nodes }: ValidationSubject,
  kind: 'tools' | 'models' | 'functions' | 'messageProcessors',
): readonly LocatedName[] {
  return [...nodes.values()].flatMap((node) => namesInFields(node, node.description.uses?.[kind]));
}

interface CatalogLookup<Code extends string> {
  readonly code: Code;
  readonly what: string;
  readonly known: Readonly<Record<string, unknown>>;
  readonly named: readonly LocatedName[];
}

function unknownEntries<const Code extends string>({
  code,
  what,
  known,
  named,
}: CatalogLookup<Code>): GraphIssues<Code> {
  const names = Object.keys(known);
  return named
    .filter(({ name }) => !Object.hasOwn(known, name))
    .map(({ name, path }) => error(code, path, `There is no ${what} "${name}"${suggestNames(name, names)}`));
}
