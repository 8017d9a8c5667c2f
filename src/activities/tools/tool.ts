import type { CallSafety, ToolEntry } from '../../graph/catalog.ts';
import type { Json } from '../../graph/json.ts';
import type { Principal } from '../../graph/run.ts';

/** A tool: what a graph sees of it, and how it is done. */
export interface Tool extends ToolEntry {
  readonly name: string;
  readonly effect: CallSafety;
  execute(args: Json, context: ToolContext): Promise<Json>;
}

/** What a tool is told about the call that it serves. */
export interface ToolContext {
  /** The same for every attempt of this call, and for no other call. */
  readonly key: string;
  readonly runId: string;
  readonly tenantId: string;
  /** Whose run it is; a tool acts as this principal. */
  readonly principal: Principal;
  /** Aborts when the call has taken too long or nobody wants it any more. */
  readonly signal: AbortSignal;
}
