import type { JsonObject } from '../../../graph/values/index.ts';
import { CallError } from '../../calls/call-error.ts';

/**
 * The form of a provider's answers. The adapters check answers by strict schemas, so each format rewrites an answer to
 * the members that the engine uses, in the form that the adapter takes.
 */
export interface WireFormat {
  /** Starts reading a stream of events. */
  readonly openStream: () => EventReader;
  /** Rewrites a complete answer. @throws CallError for an answer that can't be used */
  readonly readWhole: (answer: JsonObject) => JsonObject;
}

/** Reads the events of one stream. */
export interface EventReader {
  /**
   * Rewrites an event.
   * @param name the event's name in the stream; an empty text if it has none
   * @returns the events for the adapter; none if the event is not known
   * @throws CallError for an event that can't be used
   */
  readonly read: (event: JsonObject, name: string) => readonly JsonObject[];
  /** Returns the events that complete a stream after its `[DONE]`: the finish reason, if the stream had none. */
  readonly complete: () => readonly JsonObject[];
}

/** The finish reason of an answer that ended with `[DONE]` or the like, without a reason of its own. */
export const ENDED_WITHOUT_REASON = 'ended without a reason';

/** The failure of an answer that another attempt would not improve. @param why names the member at fault */
export function unusableAnswer(why: string): CallError {
  const message = `The model's answer can't be used: ${why}`;
  return new CallError('MODEL_FAILED', message, { retryable: false, done: 'perhaps' });
}

/** The failure of an answer that is incomplete. Another attempt may succeed. */
export function incompleteAnswer(why: string): CallError {
  const message = `The model's answer broke off: ${why}`;
  return new CallError('MODEL_FAILED', message, { retryable: true, done: 'perhaps' });
}
