import type { FunctionCallRequest } from '../graph/run/index.ts';
import { own } from '../graph/values/index.ts';
import { NO_LOG, openCallLogger } from './calls/logging/call-logger.ts';
import type { ParentLogger } from './calls/logging/call-logger.ts';
import { notConfigured } from './calls/call-error.ts';
import type { CallBehavior } from './calls/make-attempt.ts';
import { runCode } from './calls/run-code.ts';
import { stricterSafety } from './live-policy.ts';
import type { RegisteredFunction } from './registered-function.ts';

/** Makes calls of registered functions. */
export function functionCalls(
  functions: Readonly<Record<string, RegisteredFunction>>,
  log: ParentLogger = NO_LOG,
): CallBehavior<FunctionCallRequest> {
  return {
    safety: (request) => stricterSafety(request.effect, own(functions, request.function)?.effect),
    async execute(task, signal, { attempt }) {
      const { key, request, runId, tenantId, createdBy } = task;
      const registered = own(functions, request.function);
      if (!registered) throw notConfigured('FUNCTION_FAILED', `function "${request.function}"`);
      const logger = openCallLogger(log, task, attempt);
      const context = { key, runId, tenantId, principal: createdBy, attempt, signal, logger };
      return await runCode('FUNCTION_FAILED', () => registered.execute(request.args, context));
    },
  };
}
