import type { NodeOfType } from '../definition/definition.ts';
import { RESULT_NAMES } from '../expression/expression.ts';
import { parseTemplate } from '../expression/template.ts';
import { GraphError } from '../values/errors.ts';
import { own } from '../values/json.ts';
import type { Compensate } from './behavior.ts';
import { policyOf } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import { toToolCall } from './tool-calls/callable-tool.ts';
import { toolNotFound } from './tool-calls/messages.ts';

/** Compiles `compensate` of a tool node, whose arguments see the `result` of the node's call; `null`: there is none. */
export function compileCompensation({ compensate }: NodeOfType<'tool'>, settings: NodeSettings): Compensate | null {
  if (!compensate) return null;
  const { tool: name } = compensate;
  const args = parseTemplate(compensate.args ?? {}, RESULT_NAMES, 'compensate.args');
  const tool = own(settings.catalog.tools, name);
  return (bindings) => {
    if (!tool) throw new GraphError('TOOL_NOT_FOUND', toolNotFound(name));
    return toToolCall(name, tool, {
      args: args.fill(bindings),
      policy: policyOf({}, tool, settings),
      isApproved: false,
    });
  };
}
