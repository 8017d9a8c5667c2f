import type { ToolCallRequest } from '../graph/effect.ts';
import { compileJsonSchema } from '../graph/json-schema.ts';
import { own } from '../graph/json.ts';
import type { Json } from '../graph/json.ts';
import { CallError } from './call-error.ts';
import { messageOf } from './failures.ts';
import type { CallKind } from './perform-call.ts';
import { toResult } from './to-result.ts';
import type { Tool } from './tools/tool.ts';

/** One call of a tool. Its arguments are checked again, by what the tool takes now. */
export function toolCalls(tools: Readonly<Record<string, Tool>>): CallKind<ToolCallRequest> {
  return {
    called: ({ tool }) => `tool:${tool}`,
    safety: ({ effect }) => effect,
    async execute({ key, request, runId, tenantId, createdBy }, signal) {
      const tool = own(tools, request.tool);
      if (!tool)
        throw new CallError('TOOL_NOT_FOUND', `This worker has no tool "${request.tool}"`, {
          retryable: false,
          done: 'no',
        });
      checkArguments(tool, request.args);
      try {
        const value: unknown = await tool.execute(request.args, { key, runId, tenantId, principal: createdBy, signal });
        return { kind: 'value', value: toResult('TOOL_FAILED', value) };
      } catch (error) {
        throw error instanceof CallError
          ? error
          : new CallError('TOOL_FAILED', messageOf(error), { retryable: true, done: 'perhaps', cause: error });
      }
    },
  };
}

function checkArguments({ name, parameters }: Tool, args: Json): void {
  const [first] = compileJsonSchema(parameters)(args);
  if (first) {
    const message = `The arguments of ${name} break its parameters at ${first.path || '/'}: ${first.message}`;
    throw new CallError('INVALID_TOOL_ARGUMENTS', message, { retryable: false, done: 'no' });
  }
}
