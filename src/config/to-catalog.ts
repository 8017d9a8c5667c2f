import { BUILT_IN_PROCESSORS } from '../activities/context/processing-steps.ts';
import type { Catalog, FunctionEntry, ToolEntry } from '../graph/definition/index.ts';
import { lowerDefaults } from '../graph/definition/index.ts';
import { mapValues } from '../graph/values/index.ts';
import type { Config } from './load-config.ts';
import type { ToolConfig } from './tool.ts';

/** Converts a configuration to the catalog for graphs: data, without code and secrets. */
export function toCatalog({ models, tools, functions, nodeTypes, messageProcessors, ...config }: Config): Catalog {
  const { openCallsPerTenant: _openCallsPerTenant, ...ceilings } = config.ceilings;
  return {
    models: mapValues(models, ({ price, contextWindow, timeout, retry }) => ({ price, contextWindow, timeout, retry })),
    tools: Object.fromEntries(tools.map((tool) => [tool.name, toToolEntry(tool)])),
    functions: mapValues(functions, toFunctionEntry),
    ...(nodeTypes.length > 0 && {
      nodeTypes: Object.fromEntries(
        nodeTypes.map(({ name, schema, effect, timeout, retry }) => [name, { schema, effect, timeout, retry }]),
      ),
    }),
    messageProcessors: [...BUILT_IN_PROCESSORS, ...Object.keys(messageProcessors)],
    defaults: lowerDefaults(config.defaults, ceilings),
    ceilings,
  };
}

function toFunctionEntry(registered: Config['functions'][string]): FunctionEntry {
  const { effect, timeout, retry, parameters, takes, coerces, strips }: FunctionEntry = registered;
  return { effect, timeout, retry, parameters, takes, coerces, strips };
}

function toToolEntry(tool: ToolConfig): ToolEntry {
  const { description, parameters, result, effect, timeout, retry, approval, roles, onFailure, ...more } = tool;
  const { taskQueue, execution } = more;
  const { takes, coerces, strips }: ToolEntry = tool;
  const terms = { effect, timeout, retry, approval, roles, onFailure, taskQueue, execution };
  return { description, parameters, takes, coerces, strips, result, ...terms };
}
