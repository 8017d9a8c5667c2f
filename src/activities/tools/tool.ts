import type { CallSafety, ToolEntry } from '../../graph/definition/index.ts';
import type { Principal } from '../../graph/run/index.ts';
import type { Json, SchemaViolation } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';

/** What a tool may be called. */
export const TOOL_NAME = /^[A-Za-z0-9_.:-]{1,64}$/;

/** A tool: what a graph sees of it, and how it is done. */
export interface Tool extends ToolEntry {
  readonly name: string;
  readonly effect: CallSafety;
  readonly execute: ToolExecute;
}

/** Does the work of one call. @returns what is told as its result: JSON, or nothing */
export type ToolExecute = (args: Json, context: ToolContext) => unknown;

/** What a tool is told about the call that it serves. */
export interface ToolContext {
  /** The same for every attempt of this call, and for no other call. */
  readonly key: string;
  readonly runId: string;
  readonly tenantId: string;
  /** Whose run it is; a tool acts as this principal. */
  readonly principal: Principal;
  /** How often the call has been made before, and this time: 1 at first. */
  readonly attempt: number;
  /** Aborts when the call has taken too long or nobody wants it any more. */
  readonly signal: AbortSignal;
}

/** Arguments that are not what a tool takes; it is not called. */
export function badArguments(tool: string, { path, message }: SchemaViolation): CallError {
  const text = `The arguments of ${tool} break its parameters at ${path || '/'}: ${message}`;
  return new CallError('INVALID_TOOL_ARGUMENTS', text, { retryable: false, done: 'no' });
}
