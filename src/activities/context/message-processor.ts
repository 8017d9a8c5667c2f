import type { Message } from '../../graph/definition/index.ts';
import type { OverflowReply } from '../../graph/run/index.ts';

/**
 * Returns the messages to send. It may drop, shorten and add messages; a changed message keeps its id. The engine then
 * restores system messages, the order, and calls with their answers.
 */
export type MessageProcessor = (
  messages: readonly Message[],
  context: ProcessorContext,
) => readonly Message[] | Promise<readonly Message[]>;

export interface ProcessorContext {
  /** Token limit of all messages together. */
  readonly maxTokens: number;
  /** Counts tokens of messages as they are sent. */
  readonly count: (messages: readonly Message[]) => number;
}

/** A step of a strategy: it returns messages, or an overflow with the number of messages to summarize first. */
export type ProcessingStep = (
  messages: readonly Message[],
  context: StepContext,
) => readonly Message[] | OverflowReply | Promise<readonly Message[]>;

export interface StepContext extends ProcessorContext {
  /** Index of each message in the request, by message id. */
  readonly indexes: ReadonlyMap<string, number>;
}
