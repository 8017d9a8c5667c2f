import type { Message } from '../../graph/definition/index.ts';

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
