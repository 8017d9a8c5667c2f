import type { TaskFailure } from '../values/errors.ts';
import type { StoredFilePart } from '../definition/message.ts';
import type { Json, JsonObject } from '../values/json.ts';

/** The tool calls of one message, in its order. */
export type ToolBatch = readonly BatchCall[];

export interface BatchCall {
  /** The call's id in the message. */
  readonly id: string;
  /** The requested tool. */
  readonly name: string;
  /** The called tool: the requested one, or its fallback after a failure. */
  readonly tool: string;
  readonly args: Json;
  /** The arguments that the call was requested with; absent if they equal `args`. */
  readonly given?: Json;
  /** The arguments that the node fixes; absent for a tool without. */
  readonly fixed?: FixedValues;
  /** True if the tool's own schema has read the arguments. */
  readonly isRead?: true;
  /** The namespace of a memory tool, as of the first evaluation of the call. */
  readonly memory?: string | undefined;
  /** True if a person has edited the arguments. */
  readonly isEdited: boolean;
  /** True if a person has approved the call of this tool. */
  readonly approvedByPerson?: true;
  /**
   * Makes the call's key unique in its task. A call that is answered without being made shares its number with the next
   * one.
   */
  readonly number: number;
  /** Increases when a person repeats a call of unknown outcome. */
  readonly takeover: number;
  /** The time at which a graph began to run as the call, in milliseconds since the epoch. */
  readonly begunAt?: number;
  /** Present if the call hands the conversation over to a node. No call is made for it. */
  readonly handoff?: Handoff;
  /** True if the answer is the call's result, and not the reason why it has none. */
  readonly hasResult?: true;
  readonly state: CallState;
}

/** The node that continues once a batch is answered, and what the model tells it. */
export interface Handoff {
  readonly to: string;
  readonly note: string | null;
  /** The model that has handed over. */
  readonly model: string | null;
}

/** The arguments of a call of which a part is fixed. */
export interface FixedValues {
  /** The arguments that the model has chosen. */
  readonly free: Json;
  /** The fixed arguments, as of the last evaluation; `null` before the first one. */
  readonly values: JsonObject | null;
}

export type CallState =
  /** The tool's own schema must still read the arguments. `isApproved`: a person has approved them. */
  | { readonly phase: 'unread'; readonly isApproved: boolean }
  | { readonly phase: 'reading'; readonly key: string; readonly isApproved: boolean }
  /**
   * The call may begin. `isApproved`: a person has approved it, or it had begun before; otherwise the rules are
   * evaluated when it begins.
   */
  | { readonly phase: 'ready'; readonly isApproved: boolean }
  | { readonly phase: 'asked'; readonly approvalId: string; readonly timerId: string }
  | { readonly phase: 'open'; readonly key: string }
  /** A graph runs as the call: the inner task with the call's number. */
  | { readonly phase: 'inside' }
  | { readonly phase: 'intervention'; readonly failure: TaskFailure; readonly since: string }
  /** The call could not begin; its task fails after the other open calls return. */
  | { readonly phase: 'failed'; readonly failure: TaskFailure; readonly isApproved: boolean; readonly isUnread?: true }
  /** The tool message for the model. `files`: pictures and documents of the result; absent if there are none. */
  | { readonly phase: 'answered'; readonly content: string; readonly files?: readonly StoredFilePart[] };

/** The state of a call before any request for an approval. */
export const NOT_ASKED: CallState = { phase: 'ready', isApproved: false };

/** Returns the state of a call whose result is ready for the model. */
export function answered(content: string, files: readonly StoredFilePart[] = []): CallState {
  return { phase: 'answered', content, ...(files.length > 0 && { files }) };
}

/** True if all calls of a batch are answered. */
export function isAnswered(batch: ToolBatch): boolean {
  return batch.every(({ state }) => state.phase === 'answered');
}

/**
 * True if a call of a batch may begin, be read, or have its approval requested. A call that failed to begin blocks the
 * others.
 */
export function hasReadyCall(batch: ToolBatch): boolean {
  const isReady = batch.some(({ state }) => state.phase === 'ready' || state.phase === 'unread');
  return isReady && batch.every(({ state }) => state.phase !== 'failed');
}

/** Returns the failure with which a batch's task ends after its open calls return. */
export function failureIn(batch: ToolBatch): TaskFailure | null {
  const [first] = batch.flatMap(({ state }) => (state.phase === 'failed' ? [state.failure] : []));
  return first ?? null;
}

/** True if a call of a batch is open, or its arguments are being read. */
export function hasOpenCall(batch: ToolBatch): boolean {
  return batch.some(({ state }) => openKey(state) !== null);
}

/** Returns the key of the open call, or of the reading of its arguments; `null` if neither is open. */
export function openKey(state: CallState): string | null {
  return state.phase === 'open' || state.phase === 'reading' ? state.key : null;
}
