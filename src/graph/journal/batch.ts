import type { Approval } from '../run/approval.ts';
import type { RecordedSignal } from '../run/occurrence.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { EndedRunState } from './ended-run.ts';
import type { RunEvent } from './events.ts';
import type { RunView } from './run-view.ts';

/** What a run has to say since it last did. Written twice, it changes nothing; batches may come in any order. */
export interface JournalBatch {
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  readonly approvals: readonly Approval[];
  readonly signals: readonly RecordedSignal[];
  /** The run after the last of the events. When it began is left to its first event: `startedAt` is `null` at the other end. */
  readonly view: RunView;
  /** The run once it has ended, so that it can be gone on with. */
  readonly endedState: EndedRunState | null;
}

const NOTHING = { checkpoints: [], approvals: [], signals: [], endedState: null } as const;

/** Makes a batch of what is given of it, and nothing else. */
export function journalBatch(parts: Pick<JournalBatch, 'events' | 'view'> & Partial<JournalBatch>): JournalBatch {
  return { ...NOTHING, ...parts };
}
