import type { TaskFailure } from '../values/errors.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { CallReply } from './effect.ts';

/** What happened to a run, and when (milliseconds since the epoch). */
export type Occurrence = OccurrenceBody & { readonly at: number };

/** A signal as a run has taken it in: what it led to is in the events after number `seq`. */
export interface RecordedSignal {
  /** Signals of a run are numbered, from 1. */
  readonly number: number;
  readonly seq: number;
  readonly name: string;
  readonly payload: Json;
}

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
