import type { CallSafety, FunctionEntry } from '../graph/catalog.ts';
import type { FunctionCallRequest } from '../graph/effect.ts';
import { own } from '../graph/json.ts';
import type { Json } from '../graph/json.ts';
import { absent } from './absent.ts';
import type { CallKind } from './perform-call.ts';
import { runCode } from './run-code.ts';
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
    async execute({ key, request, runId, tenantId, createdBy }, signal, attempt) {
      const registered = own(functions, request.function);
      if (!registered) throw absent('FUNCTION_FAILED', `function "${request.function}"`);
      const context = { key, runId, tenantId, principal: createdBy, attempt, signal };
      return await runCode('FUNCTION_FAILED', () => registered.execute(request.args, context));
    },
  };
}
