import type { PackedBatch } from '../../graph/journal/index.ts';
import type { CallEffect, CallReply, CallRequest, Principal } from '../../graph/run/index.ts';

/** Input of an activity that makes one call. */
export interface CallTask<R extends CallRequest = CallRequest> extends Pick<
  CallEffect,
  'key' | 'takeover' | 'node' | 'index' | 'isCompensable' | 'shapedBy'
> {
  readonly request: R;
  readonly runId: string;
  readonly tenantId: string;
  /** The principal of the run; tools act as this principal. */
  readonly createdBy: Principal;
  /** A journal batch that the activity writes before the call. */
  readonly journal: PackedBatch | null;
}

export interface CallOutcome {
  readonly reply: CallReply;
  readonly attempts: number;
  readonly durationMs: number;
}
