import type { NodeCallRequest } from '../graph/run/index.ts';
import { own } from '../graph/values/index.ts';
import { NO_LOG, openCallLogger } from './calls/logging/call-logger.ts';
import type { ParentLogger } from './calls/logging/call-logger.ts';
import { notConfigured } from './calls/call-error.ts';
import type { CallBehavior } from './calls/make-attempt.ts';
import { runCode } from './calls/run-code.ts';
import { stricterSafety } from './live-policy.ts';
import type { RegisteredNodeType } from './registered-node-type.ts';

/** Makes calls of registered node types. */
export function nodeCalls(
  nodeTypes: Readonly<Record<string, RegisteredNodeType>>,
  log: ParentLogger = NO_LOG,
): CallBehavior<NodeCallRequest> {
  return {
    safety: ({ nodeType, effect }) => stricterSafety(effect, own(nodeTypes, nodeType)?.effect),
    async execute(task, signal, { attempt }) {
      const { key, request } = task;
      const { nodeType, config, state, run } = request;
      const registered = own(nodeTypes, nodeType);
      if (!registered) throw notConfigured('FUNCTION_FAILED', `node type "${nodeType}"`);
      const context = { state, run, key, signal, logger: openCallLogger(log, task, attempt) };
      return await runCode('FUNCTION_FAILED', () => registered.execute(config, context));
    },
  };
}
