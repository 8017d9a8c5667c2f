import type { Catalog } from '../../definition/catalog.ts';
import { MEMORY_TOOLS } from '../../definition/memory-tools.ts';
import { graphToolName, isGraphTool, isOfferedTool, namesOfTool } from '../../definition/node-types/offered-tool.ts';
import { isJsonList } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';

/** Finds memory and graphs among a node's tools that have the same name as another tool. */
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
    if (!isOfferedTool(tool) || !isGraphTool(tool)) return [];
    const name = graphToolName(tool);
    const owner = [catalog.tools, MEMORY_TOOLS].find((tools) => Object.hasOwn(tools, name));
    if (!owner) return [];
    const kind = owner === MEMORY_TOOLS ? 'built-in' : 'configured';
    const field = tool.as === undefined ? 'graph' : 'as';
    const message = `There is a ${kind} tool of the name "${name}", which the graph would have as a tool: \`as\` gives it another`;
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
  return `Another tool of this node is named "${name}" already: a node has one memory, and a graph that is there again needs \`as\`, a name of its own`;
}
