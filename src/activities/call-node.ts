import type { NodeTypeEntry } from '../graph/definition/index.ts';
import type { NodeCallRequest } from '../graph/run/index.ts';
import { own } from '../graph/values/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';
import { notConfigured } from './calls/call-error.ts';
import type { CallKind } from './calls/perform-call.ts';
import { runCode } from './calls/run-code.ts';
import { stricterSafety } from './live-policy.ts';

/** A registered node type: its catalog entry and its code. */
export interface RegisteredNodeType extends NodeTypeEntry {
  readonly name: string;
  /**
   * Executes one node task.
   * @param config the node's own fields, templates filled
   * @returns the result, or a command to the engine: `{ update?, goto?, control?, reason? }`
   */
  execute(config: JsonObject, context: NodeContext): unknown;
}

export interface NodeContext {
  /** The channel values at the beginning of the task. */
  readonly state: Json;
  /** `id`, `threadId`, `tenantId`, `step`, `visit`, `graph` and `startedAt`. */
  readonly run: Json;
  /** The call key: the same in every attempt of this call, and unique to it. */
  readonly key: string;
  /** Aborts on time-out or cancellation of the call. */
  readonly signal: AbortSignal;
}

/** Makes calls of registered node types. */
export function nodeCalls(nodeTypes: Readonly<Record<string, RegisteredNodeType>>): CallKind<NodeCallRequest> {
  return {
    safety: ({ nodeType, effect }) => stricterSafety(effect, own(nodeTypes, nodeType)?.effect),
    async execute({ key, request }, signal) {
      const { nodeType, config, state, run } = request;
      const registered = own(nodeTypes, nodeType);
      if (!registered) throw notConfigured('FUNCTION_FAILED', `node type "${nodeType}"`);
      return await runCode('FUNCTION_FAILED', () => registered.execute(config, { state, run, key, signal }));
    },
  };
}
