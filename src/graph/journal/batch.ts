import type { ChannelSet } from '../channels/channel.ts';
import type { Approval } from '../run/approval.ts';
import type { RecordedOccurrence } from '../run/occurrence.ts';
import type { Checkpoint } from './resume-point.ts';
import type { RunEvent } from './events.ts';
import type { RunView } from './run-view.ts';
import type { Run } from '../run/run.ts';
import type { Scope } from '../run/scope.ts';

/** The journal entries since the last batch. Writing is idempotent, and batches may arrive in any order. */
export interface JournalBatch {
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  readonly approvals: readonly Approval[];
  /** The occurrences that the run has processed. */
  readonly occurrences: readonly RecordedOccurrence[];
  /** The run after the last event. */
  readonly view: RunView;
  /** The state of an ended run, for a reopening; `null` before its end. */
  readonly endedState: EndedRunState | null;
}

const EMPTY_PARTS = { checkpoints: [], approvals: [], occurrences: [], endedState: null } as const;

/** Makes a batch; the parts that are not given are empty. */
export function journalBatch(parts: Pick<JournalBatch, 'events' | 'view'> & Partial<JournalBatch>): JournalBatch {
  return { ...EMPTY_PARTS, ...parts };
}

/** An ended run without the channel values that its checkpoints hold. */
export type EndedRunState = Run;

/** Removes the values of all channels except the ephemeral ones, which no checkpoint holds. */
export function toEndedState(run: Run, { channels }: ChannelSet): EndedRunState {
  const ephemeral = Object.entries(run.root.channels).filter(([name]) => channels.get(name)?.ephemeral);
  return { ...run, root: { ...run.root, channels: Object.fromEntries(ephemeral) } };
}

/** Restores a run from its state and the channel values of its last checkpoint. */
export function fromEndedState(state: EndedRunState, channels: Scope['channels']): Run {
  return { ...state, root: { ...state.root, channels: { ...channels, ...state.root.channels } } };
}
