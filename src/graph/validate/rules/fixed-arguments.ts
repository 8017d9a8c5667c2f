import type { Catalog, ToolEntry } from '../../definition/catalog.ts';
import { toToolEntry } from '../../definition/graph-tools.ts';
import {
  completeArguments,
  decisiveViolations,
  describeViolation,
} from '../../definition/node-types/complete-arguments.ts';
import {
  fixedArgumentsOf,
  isConfiguredTool,
  isGraphTool,
  isOfferedTool,
} from '../../definition/node-types/offered-tool.ts';
import type { FixedArguments, OfferedTool } from '../../definition/node-types/offered-tool.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { parsePointer, toPointer } from '../../values/json-pointer.ts';
import { compileJsonSchema } from '../../values/json-schema.ts';
import { itemsIn, membersIn, own } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import { acceptsMember, unconditionalSchemas } from '../../values/schema-parts.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import { isIndependentOfTemplates } from './tools.ts';

/** Finds fixed arguments that a tool does not have, and fixed values that it does not accept. */
export const fixedArguments = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ nodes, catalog }) =>
    [...nodes.values()].flatMap(({ fields, path, description: { uses } }) =>
      uses?.tools?.includes('tools')
        ? itemsIn(fields['tools']).flatMap((tool, index) => issuesOfTool(tool, catalog, `${path}/tools/${index}/args`))
        : [],
    ),
});

function issuesOfTool(tool: Json, catalog: Catalog, path: string): GraphIssues<'INVALID_FIELD'> {
  const args = isOfferedTool(tool) ? fixedArgumentsOf(tool) : null;
  const entry = isOfferedTool(tool) && args ? entryOf(tool, catalog) : null;
  return args && entry ? [...unknownArguments(args, entry, path), ...invalidValues(args, entry, path)] : [];
}

/** @returns the tool as this node calls it, named for messages; `null` for a name that another rule reports */
function entryOf(tool: OfferedTool, { tools, graphs = {} }: Catalog): NamedEntry | null {
  if (typeof tool === 'string') return null;
  if (isConfiguredTool(tool)) return named(tool.tool, own(tools, tool.tool));
  const definition = isGraphTool(tool) ? own(graphs, tool.graph) : undefined;
  return definition && isGraphTool(tool) ? named(tool.graph, toToolEntry(definition)) : null;
}

interface NamedEntry {
  readonly name: string;
  readonly entry: ToolEntry;
}

function named(name: string, entry: ToolEntry | undefined): NamedEntry | null {
  return entry ? { name, entry } : null;
}

function unknownArguments(
  args: FixedArguments,
  { name, entry: { parameters } }: NamedEntry,
  path: string,
): GraphIssues<'INVALID_FIELD'> {
  const whole = { schema: parameters, root: parameters };
  const known = unconditionalSchemas(whole).flatMap(({ properties }) => membersIn(properties).map(([key]) => key));
  return Object.keys(args)
    .filter((key) => !acceptsMember(whole, key))
    .map((key) =>
      error('INVALID_FIELD', path + toPointer([key]), `${name} has no argument "${key}".${didYouMean(key, known)}`),
    );
}

/** The model gives the other arguments, so that only what concerns the fixed ones counts. */
function invalidValues(args: FixedArguments, { name, entry }: NamedEntry, path: string): GraphIssues<'INVALID_FIELD'> {
  const { parameters } = entry;
  const given: JsonObject = { ...args };
  const whole = { schema: parameters, root: parameters };
  const known = new Set(Object.keys(args).filter((key) => acceptsMember(whole, key)));
  const completed = completeArguments(given, entry);
  return decisiveViolations(compileJsonSchema(parameters)(completed), entry)
    .filter(({ path: at }) => known.has(parsePointer(at)[0] ?? ''))
    .filter((violation) => isIndependentOfTemplates(violation, completed))
    .map((violation) =>
      error(
        'INVALID_FIELD',
        path + violation.path,
        `${name} does not take this argument: ${describeViolation(violation, entry)}`,
      ),
    );
}
