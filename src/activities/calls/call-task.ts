import type { PackedBatch } from '../../graph/journal/packed-batch.ts';
import type { CallEffect, CallReply, CallRequest } from '../../graph/run/effect.ts';
import type { Principal } from '../../graph/run/principal.ts';

/** One call as the workflow orders it. */
export interface CallTask<R extends CallRequest = CallRequest> extends Pick<
  CallEffect,
  'key' | 'order' | 'node' | 'index' | 'canBeUndone'
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
