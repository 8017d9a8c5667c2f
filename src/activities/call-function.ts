import type { CallSafety, FunctionEntry } from '../graph/catalog.ts';
import type { FunctionCallRequest } from '../graph/effect.ts';
import { own } from '../graph/json.ts';
import type { Json } from '../graph/json.ts';
import { CallError } from './call-error.ts';
import { messageOf } from './failures.ts';
import type { CallKind } from './perform-call.ts';
import { toResult } from './to-result.ts';
import type { ToolContext } from './tools/tool.ts';

/** A function that graphs call by name: what a graph knows of it, and how it is done. */
export interface RegisteredFunction extends FunctionEntry {
  readonly effect: CallSafety;
  execute(args: Json, context: ToolContext): unknown;
}

/** One call of a registered function. */
export function functionCalls(functions: Readonly<Record<string, RegisteredFunction>>): CallKind<FunctionCallRequest> {
  return {
    called: (request) => `function:${request.function}`,
    safety: ({ effect }) => effect,
    async execute({ key, request, runId, tenantId, createdBy }, signal) {
      const registered = own(functions, request.function);
      if (!registered)
        throw new CallError('FUNCTION_FAILED', `This worker has no function "${request.function}"`, {
          retryable: false,
          done: 'no',
        });
      try {
        const value = await registered.execute(request.args, { key, runId, tenantId, principal: createdBy, signal });
        return { kind: 'value', value: toResult('FUNCTION_FAILED', value) };
      } catch (error) {
        if (error instanceof CallError) throw error;
        throw new CallError('FUNCTION_FAILED', messageOf(error), { retryable: true, done: 'perhaps', cause: error });
      }
    },
  };
}
