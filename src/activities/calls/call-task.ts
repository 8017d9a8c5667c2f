import type { TaskFailure } from '../../graph/values/index.ts';
import type { CallTrace, JournalBatch } from '../../graph/journal/index.ts';
import type { CallEffect, CallReply, CallRequest, Principal } from '../../graph/run/index.ts';

/** The first argument of an activity that makes one call. */
export interface SentTask<R extends CallRequest = CallRequest> extends Pick<
  CallEffect,
  'key' | 'takeover' | 'node' | 'index' | 'visit' | 'path' | 'isCompensable' | 'shapedBy'
> {
  readonly request: R;
  readonly runId: string;
  readonly tenantId: string;
  /** The name of the run's graph. */
  readonly graph: string;
  /** The principal of the run; tools act as this principal. */
  readonly createdBy: Principal;
  /** Absent if the run is not traced. */
  readonly trace?: CallTrace;
  /** True if log lines must not contain the messages of the call's errors, because these may quote redacted values. */
  readonly hidesErrors?: true;
  /** The failure of the local attempts that this activity continues. */
  readonly failedLocally?: LocalFailure;
  /** True if an attempt with an unknown outcome may have made the call locally. */
  readonly perhapsMadeLocally?: true;
}

/** A call, and the journal batch that its activity writes: its second argument, which is compressed. */
export interface CallTask<R extends CallRequest = CallRequest> extends SentTask<R> {
  readonly journal: JournalBatch | null;
}

export interface CallOutcome {
  readonly reply: CallReply;
  readonly attempts: number;
  readonly durationMs: number;
}

/** A call that failed locally and will be retried. */
export interface LocalFailure {
  /** Number of failed attempts. */
  readonly failures: number;
  readonly failure: TaskFailure;
  readonly nextAttemptAt: string;
}

/** The end of a call's local part. */
export type LocalEnd =
  | {
      readonly kind: 'made';
      readonly reply: CallReply;
      /** The length of the reply as JSON. */
      readonly bytes: number;
      readonly attempts: number;
    }
  /** The call has failed permanently. */
  | { readonly kind: 'failed'; readonly failure: TaskFailure }
  /** An activity continues the call. */
  | ({ readonly kind: 'left' } & LocalTraces);

/** The end of a local activity, with its times by the worker's clock, in milliseconds since the epoch. */
export type LocalOutcome = LocalEnd & { readonly startedAt: number; readonly endedAt: number };

/** What is known of local attempts of a call that an activity continues. */
export interface LocalTraces {
  readonly failed: LocalFailure | null;
  /** True if an interrupted attempt may have made the call. */
  readonly perhapsMade?: true;
}
