import type { FunctionCallRequest } from '../graph/run/index.ts';
import { own } from '../graph/values/index.ts';
import { notConfigured } from './calls/call-error.ts';
import type { CallKind } from './calls/make-attempt.ts';
import { runCode } from './calls/run-code.ts';
import { stricterSafety } from './live-policy.ts';
import type { RegisteredFunction } from './registered-function.ts';

/** Makes calls of registered functions. */
export function functionCalls(functions: Readonly<Record<string, RegisteredFunction>>): CallKind<FunctionCallRequest> {
  return {
    safety: (request) => stricterSafety(request.effect, own(functions, request.function)?.effect),
    async execute({ key, request, runId, tenantId, createdBy }, signal, { attempt }) {
      const registered = own(functions, request.function);
      if (!registered) throw notConfigured('FUNCTION_FAILED', `function "${request.function}"`);
      const context = { key, runId, tenantId, principal: createdBy, attempt, signal };
      return await runCode('FUNCTION_FAILED', () => registered.execute(request.args, context));
    },
  };
}
