import type { OverflowReply } from '../../graph/run/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import type { ProcessorContext } from './message-processor.ts';

/** A step of a strategy: it returns messages, or an overflow with the number of messages to summarize first. */
export type ProcessingStep = (
  messages: readonly Message[],
  context: StepContext,
) => readonly Message[] | OverflowReply | Promise<readonly Message[]>;

export interface StepContext extends ProcessorContext {
  /** Index of each message in the request, by message id. */
  readonly indexes: ReadonlyMap<string, number>;
}
