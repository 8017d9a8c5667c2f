import type { CallReply } from './effect.ts';
import type { TaskFailure } from '../values/errors.ts';
import type { Json, JsonObject } from '../values/json.ts';

/** An event from outside the interpreter, with its time in milliseconds since the epoch. */
export type Occurrence = OccurrenceBody & { readonly at: number };

/** A processed occurrence as the journal records it. */
export type RecordedOccurrence = RecordedBody & {
  /** The number among the run's occurrences, from 1. */
  readonly number: number;
  /** The number of the last event before it. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

/**
 * An occurrence without the reply of a call. The ledger or the event of a local call holds the reply; if neither does,
 * it is recorded here. A `continue` is not recorded, because events before the next occurrence show that the run was
 * continued.
 */
export type RecordedBody =
  | { readonly kind: 'call.completed'; readonly key: string; readonly reply?: CallReply }
  | (OccurrenceBody & { readonly kind: 'call.failed' | 'timer' | 'cancel.requested' })
  | { readonly kind: 'signal'; readonly name: string; readonly payload: Json };

/** A signal with the id of its decision. A run processes it once, however often it is sent. */
export interface SentSignal {
  readonly name: string;
  readonly payload: JsonObject & { readonly signalId: string };
}

export type OccurrenceBody =
  | {
      readonly kind: 'call.completed';
      readonly key: string;
      readonly reply: CallReply;
      readonly attempts: number;
      readonly durationMs: number;
      /** True if the call was made without an activity. */
      readonly isLocal?: true;
    }
  | { readonly kind: 'call.failed'; readonly key: string; readonly failure: TaskFailure; readonly isLocal?: true }
  /**
   * A timer of the run has fired. `fireAt` distinguishes it from a later timer with the same id; a recording has no
   * `fireAt`, because its timers are known to have fired.
   */
  | { readonly kind: 'timer'; readonly id: string; readonly fireAt?: number }
  /** A signal with its unchecked payload. */
  | { readonly kind: 'signal'; readonly name: string; readonly payload: Json | undefined }
  /** Temporal has received a request to cancel the workflow. */
  | { readonly kind: 'cancel.requested' }
  /** The journal has caught up after an `advance` that yielded. */
  | { readonly kind: 'continue' };

/** The result of a call. */
export type CallResult = OccurrenceBody & { readonly kind: 'call.completed' | 'call.failed' };

/** The result of a decision or control: accepted, or refused with a reason that the API turns into a response. */
export type SignalResult =
  | { readonly id: string; readonly taken: true; readonly value: Json }
  | { readonly id: string; readonly taken: false; readonly refusal: Refusal };

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  /** The ids of the approvals that are pending instead; only the first ones. */
  readonly pending?: readonly string[];
  /** True if the messages come from expressions or reducers, which may quote values. */
  readonly mayQuote?: true;
}

export type RefusalCode =
  | 'NOT_ALLOWED_NOW'
  | 'UNKNOWN_APPROVAL'
  | 'APPROVAL_ID_REQUIRED'
  | 'ALREADY_DECIDED'
  | 'APPROVAL_EXPIRED'
  | 'APPROVAL_CANCELED'
  | 'APPROVAL_CHANGED'
  | 'NOT_AN_APPROVER'
  | 'REASON_REQUIRED'
  | 'INVALID_ARGS'
  | 'INVALID_VALUES'
  | 'UNKNOWN_INTERVENTION'
  | 'INTERVENTION_ID_REQUIRED'
  | 'UNKNOWN_SIGNAL'
  | 'BUFFER_FULL'
  | 'STALE'
  | 'LIMIT_TOO_LOOSE'
  | 'MALFORMED';

/** Refuses a control that may mean several interventions. @param names their ids and nodes, as text */
export function refuseSeveral(names: string): Refusal {
  return {
    code: 'INTERVENTION_ID_REQUIRED',
    message: `Several nodes wait for an intervention; name one by id: ${names}`,
  };
}
