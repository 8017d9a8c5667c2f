import type { Approval } from '../run/approval.ts';
import type { RecordedOccurrence } from '../run/occurrence.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { EndedRunState } from './ended-run.ts';
import type { RunEvent } from './events.ts';
import type { RunView } from './run-view.ts';

/** What a run has to say since it last did. Written twice, it changes nothing; batches may come in any order. */
export interface JournalBatch {
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  readonly approvals: readonly Approval[];
  readonly occurrences: readonly RecordedOccurrence[];
  /** The run after the last of the events. When it began is left to its first event: `startedAt` is `null` at the other end. */
  readonly view: RunView;
  /** The run once it has ended, so that it can be gone on with. */
  readonly endedState: EndedRunState | null;
}
