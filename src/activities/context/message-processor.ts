import type { Message } from '../../graph/definition/index.ts';

/**
 * Makes a conversation fit: gives back the messages to send. It may leave out, shorten and add messages; who changes one
 * keeps its id. Messages of the system, the order, and calls with their answers are seen to afterwards.
 */
export type MessageProcessor = (
  messages: readonly Message[],
  context: ProcessorContext,
) => readonly Message[] | Promise<readonly Message[]>;

export interface ProcessorContext {
  /** Tokens that the messages may have together. */
  readonly maxTokens: number;
  /** Tokens of messages as they are sent. */
  readonly count: (messages: readonly Message[]) => number;
}
