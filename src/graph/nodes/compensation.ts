import type { NodeOfType } from '../definition/definition.ts';
import { RESULT_NAMES } from '../expression/expression.ts';
import { parseTemplate } from '../expression/template.ts';
import { GraphError } from '../values/errors.ts';
import type { Json } from '../values/json.ts';
import type { CompensatingCall, Compensator } from './behavior.ts';
import type { NodeSettings } from './node-settings.ts';
import { compileCallable } from './tool-calls/callable-tool.ts';
import type { CallableTool } from './tool-calls/callable-tool.ts';
import { toolNotFound } from './tool-calls/messages.ts';

/** Compiles `compensate` of a tool node, whose arguments see the `result` of the node's call; `null`: there is none. */
export function compileCompensation({ compensate }: NodeOfType<'tool'>, settings: NodeSettings): Compensator | null {
  if (!compensate) return null;
  const { tool: name } = compensate;
  const filler = parseTemplate(compensate.args ?? {}, RESULT_NAMES, 'compensate.args');
  const node = { execution: 'activity' } as const;
  const tool = compileCallable(name, { node, settings, approve: {}, asksForUnsafe: false });
  const found = (): CallableTool => {
    if (tool) return tool;
    throw new GraphError('TOOL_NOT_FOUND', toolNotFound(name));
  };
  return {
    fill(bindings, shapers) {
      const refusal = found().refuse(shapers);
      if (refusal !== null) throw new GraphError('TOOL_FAILED', refusal);
      return readCall(found(), filler.fill(bindings));
    },
    read: (args) => readCall(found(), args),
    needsApproval: (args) => found().needsApproval({ args }),
  };
}

function readCall(tool: CallableTool, given: Json): CompensatingCall {
  const read = tool.readArguments(given);
  if ('problem' in read) throw new GraphError('INVALID_TOOL_ARGUMENTS', read.problem);
  const { args } = read;
  const request = tool.request(args, { leftMs: null, isApproved: false, isRead: false });
  return tool.needsReading
    ? { request, reading: tool.reading(args, null), needsApproval: false }
    : { request, needsApproval: tool.needsApproval({ args }) };
}
