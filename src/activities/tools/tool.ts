import type { CallSafety, StoredFilePart, ToolEntry } from '../../graph/definition/index.ts';
import type { Principal } from '../../graph/run/index.ts';
import type { Json, SchemaViolation } from '../../graph/values/index.ts';
import { CallError, REFUSED } from '../calls/call-error.ts';
import type { CallLogger } from '../calls/call-logger.ts';

/** Bytes that a tool has answered. */
export interface AnsweredBytes {
  readonly bytes: Uint8Array;
  /** Without parameters, such as `application/pdf`. */
  readonly mediaType: string;
}

/** Allowed names of tools. */
export const TOOL_NAME = /^[A-Za-z0-9_.:-]{1,64}$/;

/** A tool: its catalog entry and its code. */
export interface Tool extends ToolEntry {
  readonly name: string;
  readonly effect: CallSafety;
  /** Returns the arguments as read by the tool's own schema; absent without one. @throws CallError */
  readonly read?: (args: Json) => Promise<Json>;
  readonly execute: ToolExecute;
}

/** Executes one call. @returns the result: JSON, or nothing */
export type ToolExecute = (args: Json, call: ToolCall) => unknown;

/** The call that a tool serves. */
export interface ToolContext {
  /** The call key: the same in every attempt of this call, and unique to it. */
  readonly key: string;
  /** The run that makes the call. */
  readonly runId: string;
  readonly tenantId: string;
  /** The principal of the run; the tool acts as this principal. */
  readonly principal: Principal;
  /** The namespace of a tool of memory. */
  readonly memory?: string | undefined;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Aborts on time-out or cancellation of the call. */
  readonly signal: AbortSignal;
  /** Adds the run, the node and the call to each line. */
  readonly logger: CallLogger;
  /**
   * Reports progress to those who follow the run: JSON of 4 KiB at most, of which the latest value is sent every 200 ms.
   * It is not recorded, may be lost, and never fails.
   */
  progress(this: void, value: unknown): void;
}

/** The call as the engine's own tools see it. */
export interface ToolCall extends ToolContext {
  /**
   * Waits for work that precedes the call.
   * @throws CallError if the call's time is over or it is canceled meanwhile; it was not sent then
   */
  prepare<T>(this: void, work: Promise<T>): Promise<T>;
  /** Stores bytes that the tool has answered. @returns the part that shows the file in a message */
  keepFile(this: void, file: AnsweredBytes): Promise<StoredFilePart>;
  /** Adds a stored file to the reply beside the result, which has no member for it. */
  attachFile(this: void, file: StoredFilePart): void;
}

/** The error for arguments that violate a tool's parameters; the tool is not called. */
export function badArguments(tool: string, { path, message }: SchemaViolation): CallError {
  const text = `The arguments of ${tool} break its parameters at ${path || '/'}: ${message}`;
  return new CallError('INVALID_TOOL_ARGUMENTS', text, REFUSED);
}

/** The call that the code serves, with its means. */
export interface CodeToolContext<Secret extends string = string> extends ToolContext {
  /** Returns a secret listed in the tool's `secrets`. */
  secret(this: void, name: Secret): string;
  /** Reports the progress of a long call to Temporal. Heartbeats are sent without it, too. */
  heartbeat(this: void, details: unknown): void;
}
