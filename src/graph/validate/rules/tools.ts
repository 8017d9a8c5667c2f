import type { Catalog, FunctionEntry, ToolEntry } from '../../definition/catalog.ts';
import { toolsOfCalls } from '../../definition/graph-tools.ts';
import { MEMORY_TOOLS } from '../../definition/memory-tools.ts';
import {
  completeArguments,
  describeViolation,
  decisiveViolations,
} from '../../definition/node-types/complete-arguments.ts';
import { fieldAt, describeType } from '../../definition/node-types/describe-node.ts';
import type { ArgumentFields } from '../../definition/node-types/node-description.ts';
import { isOfferedTool, namesOfTool } from '../../definition/node-types/offered-tool.ts';
import { isTemplate } from '../../expression/template.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject, SubjectNode } from '../subject.ts';
import { parsePointer, toPointer, valueAt } from '../../values/json-pointer.ts';
import { compileJsonSchema } from '../../values/json-schema.ts';
import type { SchemaViolation } from '../../values/json-schema.ts';
import { isJsonList, isContainer, own } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';

/** Finds a node with `calls` that names no tools, although the channel is not written by exactly one `llm` node. */
export const unnamedTools = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ nodes }) => {
    const all = [...nodes.values()];
    return all.flatMap(({ fields, path, description: { makesCalls } }) => {
      if (!makesCalls || fields[makesCalls.tools] !== undefined) return [];
      const channel = fields[makesCalls.channel];
      if (typeof channel !== 'string' || toolsOfCalls(channel, all)) return [];
      const message = `Name this node's tools in "${makesCalls.tools}": not one llm node alone writes "${channel}".`;
      return [error('INVALID_FIELD', path, message)];
    });
  },
});

/** Finds tools of a node that have the same name as another tool. */
export const offeredTools = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ nodes, catalog }) =>
    [...nodes.values()].flatMap(({ fields: { tools }, path }) =>
      isJsonList(tools)
        ? [...sameNames(tools, `${path}/tools`), ...configuredNames(tools, catalog, `${path}/tools`)]
        : [],
    ),
});

/**
 * Returns the configured names. A failed call may lead to a configured tool by its name, whatever the node offers;
 * built-in tools are known by their own names.
 */
function configuredNames(tools: readonly Json[], catalog: Catalog, path: string): GraphIssues<'INVALID_FIELD'> {
  return [...tools.entries()].flatMap(([index, tool]) => {
    if (!isOfferedTool(tool) || typeof tool === 'string' || !('tool' in tool || 'graph' in tool)) return [];
    const [name = ''] = namesOfTool(tool);
    const owner = [catalog.tools, MEMORY_TOOLS].find((tools) => Object.hasOwn(tools, name));
    if (!owner || ('tool' in tool && tool.tool === name)) return [];
    const kind = owner === MEMORY_TOOLS ? 'built-in' : 'configured';
    const field = tool.as === undefined ? 'graph' : 'as';
    const what = 'tool' in tool ? 'this one' : 'the graph';
    const message = `There is a ${kind} tool of the name "${name}", which ${what} would have as a tool: \`as\` gives it another`;
    return [error('INVALID_FIELD', `${path}/${index}/${field}`, message)];
  });
}

function sameNames(tools: readonly Json[], path: string): GraphIssues<'INVALID_FIELD'> {
  const taken = new Map<string, 'text' | 'object'>();
  return [...tools.entries()].flatMap(([index, tool]) => {
    if (!isOfferedTool(tool)) return [];
    const names = namesOfTool(tool);
    const kind = typeof tool === 'string' ? 'text' : 'object';
    // The name of a configured tool may be repeated.
    const same = names.find((name) => taken.get(name) === 'object' || (taken.has(name) && kind === 'object'));
    for (const name of names) taken.set(name, kind);
    return same === undefined ? [] : [error('INVALID_FIELD', `${path}/${index}`, sameName(same))];
  });
}

function sameName(name: string): string {
  return `Another tool of this node is named "${name}" already: a node has one memory, and a tool or graph that is there again needs \`as\`, a name of its own`;
}

/** Finds arguments that a tool or function does not accept, as far as they are known without filling templates. */
export const givenArguments = defineRule({
  codes: ['INVALID_FIELD'],
  find: (subject) =>
    [...subject.nodes.values()]
      .filter(hasValidFields)
      .flatMap((node) => (node.description.givesArgs ?? []).flatMap((fields) => argumentIssues(subject, node, fields))),
});

/** True if no other rule refuses the node's combination of fields. */
function hasValidFields({ type, fields }: SubjectNode): boolean {
  return (describeType(type)?.findProblems?.(fields) ?? []).length === 0;
}

function argumentIssues(
  { catalog }: ValidationSubject,
  { fields, path }: SubjectNode,
  named: ArgumentFields,
): GraphIssues<'INVALID_FIELD'> {
  const name = fieldAt(fields, named.callee);
  const entry = typeof name === 'string' ? own<FunctionEntry>(catalog[named.of], name) : undefined;
  const given = fieldAt(fields, named.args);
  if (entry?.parameters === undefined || typeof name !== 'string' || given === undefined || isTemplate(given))
    return [];
  const callee = { ...entry, parameters: entry.parameters };
  const args = completeArguments(given, callee);
  return decisiveViolations(compileJsonSchema(callee.parameters)(args), callee)
    .filter((violation) => isIndependentOfTemplates(violation, args))
    .map((violation) => {
      const at = `${path}/${named.args}${violation.path}`;
      return error(
        'INVALID_FIELD',
        at,
        `${name} does not take these arguments: ${describeArgumentViolation(violation, callee)}`,
      );
    });
}

/** Keywords that only depend on the names of members. Templates only occur in values. */
const NAME_KEYWORDS: ReadonlySet<string> = new Set(['required', 'additionalProperties']);

/** True if a violation can't depend on what templates are filled with. */
export function isIndependentOfTemplates({ path, keyword = '', isTooExpensive }: SchemaViolation, args: Json): boolean {
  if (isTooExpensive) return false;
  return NAME_KEYWORDS.has(keyword) || !containsTemplate(valueAt(args, parsePointer(path)));
}

function describeArgumentViolation(violation: SchemaViolation, callee: Pick<ToolEntry, 'parameters'>): string {
  const message = describeViolation(violation, callee);
  const last = parsePointer(violation.path).at(-1);
  return last === undefined ? message : `${toPointer([last]).slice(1)} ${message}`;
}

function containsTemplate(value: Json | undefined): boolean {
  return isContainer(value) ? Object.values<Json>(value).some(containsTemplate) : isTemplate(value);
}
