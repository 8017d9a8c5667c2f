import type { Approval, RecordedOccurrence, Run } from '../graph/run/index.ts';
import type { Checkpoint, JournalBatch, RunEvent } from '../graph/journal/index.ts';
import { toEndedState, toRunView } from '../graph/journal/index.ts';
import type { CompiledGraph } from '../graph/compile/index.ts';
import { hasEnded } from '../graph/run/index.ts';
import { own } from '../graph/values/index.ts';

/** A batch on its way to the store. The outbox keeps its entries until the activity that writes it has ended. */
export interface JournalDelivery {
  readonly batch: JournalBatch;
  /** Must be called when the activity has succeeded, so the batch is stored. */
  readonly delivered: () => void;
  /** Must be called when the activity has failed. The batch may or may not be stored, so it is sent again. */
  readonly lost: () => void;
}

/** Journal entries that the store has not acknowledged. */
export interface Outbox {
  add(entries: JournalEntries): void;
  /**
   * Takes all entries that have not been sent.
   * @returns `null` if there is no event, because a batch needs one
   */
  take(run: Run): JournalDelivery | null;
  isEmpty(): boolean;
  /** True if an event has not been sent. */
  hasEvents(): boolean;
  /** Returns all entries that have not been sent. */
  pendingEntries(): JournalEntries;
}

/** Journal entries of the interpreter's steps. */
export interface JournalEntries {
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  readonly approvals: readonly Approval[];
  readonly occurrences: readonly RecordedOccurrence[];
}

export function createOutbox(graph: CompiledGraph): Outbox {
  let unsent: JournalEntries[] = [];
  const inFlight = new Set<readonly JournalEntries[]>();
  const hasEvents = (): boolean => unsent.some(({ events }) => events.length > 0);
  return {
    hasEvents,
    add({ events, checkpoints, approvals, occurrences }) {
      const size = events.length + approvals.length + occurrences.length;
      if (size > 0) unsent.push({ events, checkpoints, approvals, occurrences });
    },
    take(run) {
      if (!hasEvents()) return null;
      const entries = unsent;
      unsent = [];
      inFlight.add(entries);
      return {
        batch: toJournalBatch(graph, entries, run),
        delivered: () => void inFlight.delete(entries),
        lost() {
          if (inFlight.delete(entries)) unsent = [...entries, ...unsent];
        },
      };
    },
    isEmpty: () => unsent.length === 0 && inFlight.size === 0,
    pendingEntries: () => mergeEntries(unsent),
  };
}

function mergeEntries(entries: readonly JournalEntries[]): JournalEntries {
  const [only, ...others] = entries;
  if (only && others.length === 0) return only;
  return {
    events: entries.flatMap(({ events }) => events).sort((a, b) => a.seq - b.seq),
    checkpoints: entries.flatMap(({ checkpoints }) => checkpoints),
    approvals: entries.flatMap(({ approvals }) => approvals),
    occurrences: entries.flatMap(({ occurrences }) => occurrences).sort((a, b) => a.number - b.number),
  };
}

/** Returns the current state of recorded approvals. A closed one that the run has forgotten stays as recorded. */
function currentApprovals(recorded: readonly Approval[], { approvals }: Run): readonly Approval[] {
  const latest = new Map(recorded.map((approval) => [approval.id, own(approvals, approval.id) ?? approval]));
  return [...latest.values()].filter(({ id, status }) => status !== 'pending' || Object.hasOwn(approvals, id));
}

/** Makes a batch of entries, which may include entries of a lost batch. */
function toJournalBatch(graph: CompiledGraph, entries: readonly JournalEntries[], run: Run): JournalBatch {
  const { approvals, ...others } = mergeEntries(entries);
  return {
    ...others,
    approvals: currentApprovals(approvals, run),
    view: toRunView(run),
    endedState: hasEnded(run) ? toEndedState(run, graph) : null,
  };
}
