import { NOT_BEGUN, journalBatch } from '../../graph/journal/index.ts';
import type { JournalBatch } from '../../graph/journal/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import type { RunError } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';

/** The last event of a run, without its number and step. */
type LastEvent = { readonly at: string } & (
  | { readonly type: 'run.failed'; readonly error: RunError }
  | { readonly type: 'run.canceled'; readonly by: string; readonly reason: string | null }
);

interface ClosingOptions {
  readonly approvals?: readonly Approval[];
  /** Why a canceled run could not end in order. */
  readonly cancelError?: RunError | null;
}

/** The last batch of a run without a workflow that could write it. Pending approvals are canceled. */
export function closingBatch(
  run: Pick<RunRecord, 'view' | 'lastSeq'>,
  event: LastEvent,
  { approvals = [], cancelError = null }: ClosingOptions = {},
): JournalBatch {
  const view = run.view ?? NOT_BEGUN;
  const ended =
    event.type === 'run.failed'
      ? { status: 'failed' as const, error: event.error }
      : { status: 'canceled' as const, error: cancelError };
  return journalBatch({
    events: [{ seq: run.lastSeq + 1, step: view.step, ...event }],
    approvals: approvals
      .filter(({ status }) => status === 'pending')
      .map((approval) => ({ ...approval, status: 'canceled' })),
    view: { ...view, ...ended, waitingFor: [], endedAt: event.at },
  });
}
