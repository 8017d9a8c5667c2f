import type { TaskFailure } from '../values/errors.ts';
import type { Json } from '../values/json.ts';

/** The tool calls that one message asks for, in its order. */
export type ToolBatch = readonly BatchCall[];

export interface BatchCall {
  /** The id that the message gives the call. */
  readonly id: string;
  /** The tool that was asked for. */
  readonly name: string;
  /** The tool that is called: another one when that has failed and names it. */
  readonly tool: string;
  readonly args: Json;
  /** Somebody has changed the arguments. */
  readonly isEdited: boolean;
  /** Tells its key from those of the task's other calls. */
  readonly number: number;
  /** Goes up when a person orders the call again whose outcome is unknown. */
  readonly takeover: number;
  readonly state: CallState;
}

export type CallState =
  /** Once it is approved nobody is asked; before, its tool and its node say whether somebody is. */
  | { readonly phase: 'ready'; readonly isApproved: boolean }
  | { readonly phase: 'asked'; readonly approvalId: string; readonly timerId: string }
  | { readonly phase: 'out'; readonly key: string }
  | { readonly phase: 'intervention'; readonly failure: TaskFailure; readonly since: string }
  /** It could not begin: the task fails with it, once no other call is out. */
  | { readonly phase: 'failed'; readonly failure: TaskFailure; readonly isApproved: boolean }
  /** What the model is told. */
  | { readonly phase: 'answered'; readonly content: string };

/** A call of which nobody has been asked yet. */
export const NOT_ASKED: CallState = { phase: 'ready', isApproved: false };

/** The model is told so. */
export function answered(content: string): CallState {
  return { phase: 'answered', content };
}

/** Whether all calls of a batch are answered. */
export function isAnswered(batch: ToolBatch): boolean {
  return batch.every(({ state }) => state.phase === 'answered');
}

/** Whether a call of a batch could begin; none does where one has failed to. */
export function hasReadyCall(batch: ToolBatch): boolean {
  const isReady = batch.some(({ state }) => state.phase === 'ready' && state.isApproved);
  return isReady && batch.every(({ state }) => state.phase !== 'failed');
}

/** Why the task of a batch can't go on: it fails with it as soon as no call `isOut`. */
export function failureIn(batch: ToolBatch): TaskFailure | null {
  const [first] = batch.flatMap(({ state }) => (state.phase === 'failed' ? [state.failure] : []));
  return first ?? null;
}

/** Whether it is still to be known what a call of a batch does. */
export function hasOpenCall(batch: ToolBatch): boolean {
  return batch.some(({ state }) => state.phase === 'out');
}
