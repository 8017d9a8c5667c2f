import type { PackedBatch } from '../../graph/journal/index.ts';
import type { CallEffect, CallReply, CallRequest, Principal } from '../../graph/run/index.ts';

/** One call as the workflow orders it. */
export interface CallTask<R extends CallRequest = CallRequest> extends Pick<
  CallEffect,
  'key' | 'takeover' | 'node' | 'index' | 'isCompensable'
> {
  readonly request: R;
  readonly runId: string;
  readonly tenantId: string;
  /** Whose run it is; tools act as this principal. */
  readonly createdBy: Principal;
  /** What the run has to say; it is written on the way. */
  readonly journal: PackedBatch | null;
}

export interface CallOutcome {
  readonly reply: CallReply;
  readonly attempts: number;
  readonly durationMs: number;
}
