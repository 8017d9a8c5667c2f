import type { Approval } from '../run/approvals/approval.ts';
import type { RecordedOccurrence } from '../run/occurrence.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { EndedRunState } from './ended-run.ts';
import type { RunEvent } from './events.ts';
import type { RunView } from './run-view.ts';

/** The journal entries since the last batch. Writing is idempotent, and batches may arrive in any order. */
export interface JournalBatch {
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  readonly approvals: readonly Approval[];
  /** The occurrences that the run has taken in. */
  readonly occurrences: readonly RecordedOccurrence[];
  /** The run after the last event. In an unpacked view `startedAt` is `null`: the run's first event gives it. */
  readonly view: RunView;
  /** The state of an ended run, for a reopening; `null` before its end. */
  readonly endedState: EndedRunState | null;
}

const NOTHING = { checkpoints: [], approvals: [], occurrences: [], endedState: null } as const;

/** Makes a batch of what is given of it, and nothing else. */
export function journalBatch(parts: Pick<JournalBatch, 'events' | 'view'> & Partial<JournalBatch>): JournalBatch {
  return { ...NOTHING, ...parts };
}
