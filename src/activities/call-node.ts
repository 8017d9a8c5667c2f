import type { NodeTypeEntry } from '../graph/definition/index.ts';
import type { NodeCallRequest } from '../graph/run/index.ts';
import { own } from '../graph/values/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';
import { notConfigured } from './calls/call-error.ts';
import type { CallKind } from './calls/perform-call.ts';
import { runCode } from './calls/run-code.ts';

/** A type of node that is made by code. */
export interface RegisteredNodeType extends NodeTypeEntry {
  readonly name: string;
  /**
   * Does the work of one node task.
   * @param config the node's own fields, templates filled
   * @returns its result, or what a function may say to the engine: `{ update?, goto?, control?, reason? }`
   */
  execute(config: JsonObject, context: NodeContext): unknown;
}

export interface NodeContext {
  /** The channel values as the node sees them. */
  readonly state: Json;
  /** `id`, `threadId`, `tenantId`, `step`, `visit`, `graph` and `startedAt`. */
  readonly run: Json;
  /** The same for every attempt of this call, and for no other call. */
  readonly key: string;
  /** Aborts when the call has taken too long or nobody wants it any more. */
  readonly signal: AbortSignal;
}

/** One task of a node whose type is registered. */
export function nodeCalls(nodeTypes: Readonly<Record<string, RegisteredNodeType>>): CallKind<NodeCallRequest> {
  return {
    called: ({ nodeType }) => `node:${nodeType}`,
    safety: ({ effect }) => effect,
    async execute({ key, request }, signal) {
      const { nodeType, config, state, run } = request;
      const registered = own(nodeTypes, nodeType);
      if (!registered) throw notConfigured('FUNCTION_FAILED', `node type "${nodeType}"`);
      return await runCode('FUNCTION_FAILED', () => registered.execute(config, { state, run, key, signal }));
    },
  };
}
