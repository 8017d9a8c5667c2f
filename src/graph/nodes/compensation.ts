import type { NodeOfType } from '../definition/definition.ts';
import { GraphError } from '../values/errors.ts';
import type { Compensate } from './behavior.ts';
import { own } from '../values/json.ts';
import { parseTemplate } from '../expression/template.ts';
import { toToolCall } from './tool-calls/callable-tool.ts';
import { NODE_NAMES } from '../expression/expression.ts';
import { policyOf } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';

/** What undoes the call of a tool node, if it names anything. Its arguments see the `result` of that call. */
export function compileCompensation({ compensate }: NodeOfType<'tool'>, scope: NodeSettings): Compensate | null {
  if (!compensate) return null;
  const { tool: name } = compensate;
  const args = parseTemplate(compensate.args ?? {}, [...NODE_NAMES, 'result'], 'compensate.args');
  const tool = own(scope.catalog.tools, name);
  return (bindings) => {
    if (!tool) throw new GraphError('TOOL_NOT_FOUND', `Tool not found: ${name}`);
    return toToolCall(name, tool, { args: args.fill(bindings), policy: policyOf({}, tool, scope) });
  };
}
