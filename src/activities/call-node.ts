import type { NodeTypeEntry } from '../graph/catalog.ts';
import type { NodeCallRequest } from '../graph/effect.ts';
import { own } from '../graph/json.ts';
import type { Json, JsonObject } from '../graph/json.ts';
import { CallError } from './call-error.ts';
import { messageOf } from './failures.ts';
import type { CallKind } from './perform-call.ts';
import { toResult } from './to-result.ts';

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
      if (!registered) {
        const message = `This worker has no node type "${nodeType}"`;
        throw new CallError('FUNCTION_FAILED', message, { retryable: false, done: 'no' });
      }
      try {
        const value = await registered.execute(config, { state, run, key, signal });
        return { kind: 'value', value: toResult('FUNCTION_FAILED', value) };
      } catch (error) {
        if (error instanceof CallError) throw error;
        throw new CallError('FUNCTION_FAILED', messageOf(error), { retryable: true, done: 'perhaps', cause: error });
      }
    },
  };
}
