import type { OverflowReply } from '../../graph/run/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import type { ProcessorContext } from './message-processor.ts';

/** One step of making a conversation fit: a processor of messages, or one that wants something done first. */
export type ProcessingStep = (
  messages: readonly Message[],
  context: StepContext,
) => readonly Message[] | OverflowReply | Promise<readonly Message[]>;

export interface StepContext extends ProcessorContext {
  /** Where a message stands in the request, by its id. */
  readonly indexes: ReadonlyMap<string, number>;
}
