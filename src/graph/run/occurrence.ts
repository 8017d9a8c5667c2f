import type { TaskFailure } from '../values/errors.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { CallReply } from './effect.ts';

/** What happened to a run, and when (milliseconds since the epoch). */
export type Occurrence = OccurrenceBody & { readonly at: number };

/** An occurrence that a run has taken in, as the journal keeps it. */
export type RecordedOccurrence = RecordedBody & {
  /** Occurrences of a run are numbered, from 1. */
  readonly number: number;
  /** The number of the last event before it. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

/**
 * An occurrence without the reply to a call: the ledger holds it. A `continue` is not kept: a run that has yielded was
 * continued if there are events before its next occurrence.
 */
export type RecordedBody =
  | { readonly kind: 'call.completed'; readonly key: string }
  | (OccurrenceBody & { readonly kind: 'call.failed' | 'timer' | 'cancel.requested' })
  | { readonly kind: 'signal'; readonly name: string; readonly payload: Json };

/** A signal with the id of the decision that it brings: a run takes it once, however often it is sent. */
export interface SentSignal {
  readonly name: string;
  readonly payload: JsonObject & { readonly decisionId: string };
}

export type OccurrenceBody =
  | {
      readonly kind: 'call.completed';
      readonly key: string;
      readonly reply: CallReply;
      readonly attempts: number;
      readonly durationMs: number;
    }
  | { readonly kind: 'call.failed'; readonly key: string; readonly failure: TaskFailure }
  /** A timer that the run asked for has fired. */
  | { readonly kind: 'timer'; readonly id: string }
  /** A signal, as it came. */
  | { readonly kind: 'signal'; readonly name: string; readonly payload: Json | undefined }
  /** Temporal was asked to cancel the workflow. */
  | { readonly kind: 'cancel.requested' }
  /** The shell has caught up after an `advance` that stopped half-way. */
  | { readonly kind: 'continue' };
