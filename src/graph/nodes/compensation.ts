import type { NodeOfType } from '../definition/definition.ts';
import { RESULT_NAMES } from '../expression/expression.ts';
import { parseTemplate } from '../expression/template.ts';
import { GraphError } from '../values/errors.ts';
import type { Compensate } from './behavior.ts';
import type { NodeSettings } from './node-settings.ts';
import { compileCallable } from './tool-calls/callable-tool.ts';
import { toolNotFound } from './tool-calls/messages.ts';

/** Compiles `compensate` of a tool node, whose arguments see the `result` of the node's call; `null`: there is none. */
export function compileCompensation({ compensate }: NodeOfType<'tool'>, settings: NodeSettings): Compensate | null {
  if (!compensate) return null;
  const { tool: name } = compensate;
  const filler = parseTemplate(compensate.args ?? {}, RESULT_NAMES, 'compensate.args');
  const node = { execution: 'activity' } as const;
  const tool = compileCallable(name, { node, settings, approve: {}, asksForUnsafe: false });
  return (bindings, shapers) => {
    if (!tool) throw new GraphError('TOOL_NOT_FOUND', toolNotFound(name));
    const refusal = tool.refuse(shapers);
    if (refusal !== null) throw new GraphError('TOOL_FAILED', refusal);
    const args = filler.fill(bindings);
    const problem = tool.checkArguments(args);
    if (problem !== null) throw new GraphError('INVALID_TOOL_ARGUMENTS', problem);
    return {
      request: tool.request(args, { leftMs: null, isApproved: false }),
      needsApproval: tool.needsApproval({ ...bindings, args }),
    };
  };
}
