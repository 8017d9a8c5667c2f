import type { CallSafety, FunctionEntry, NodeTypeEntry } from '../graph/definition/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';
import type { CallLogger } from './calls/call-logger.ts';
import type { ToolContext } from './tools/tool.ts';

/** A registered function: its catalog entry and its code. */
export interface RegisteredFunction extends FunctionEntry {
  readonly effect: CallSafety;
  execute(args: Json, context: ToolContext): unknown;
}

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

/** The node task that the code of a node type serves. */
export interface NodeContext {
  /** The channel values at the beginning of the task. */
  readonly state: Json;
  /** `id`, `threadId`, `tenantId`, `step`, `visit`, `graph` and `startedAt`. */
  readonly run: Json;
  /** The call key: the same in every attempt of this call, and unique to it. */
  readonly key: string;
  /** Aborts on time-out or cancellation of the call. */
  readonly signal: AbortSignal;
  /** Adds the run, the node and the call to each line. */
  readonly logger: CallLogger;
}
