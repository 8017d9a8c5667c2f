import type { Approval, RecordedSignal, Run } from '../graph/run/index.ts';
import type { Carrier, Checkpoint, JournalBatch, PackedBatch, RunEvent } from '../graph/journal/index.ts';
import { toEndedState, packBatch, toRunView } from '../graph/journal/index.ts';
import type { CompiledGraph } from '../graph/compile/index.ts';
import { hasEnded } from '../graph/run/index.ts';
import { own } from '../graph/values/index.ts';

/** A batch on its way to the store; it is held until the activity that carries it has come back. */
export interface JournalDelivery {
  readonly batch: PackedBatch;
  /** The carrier came back: the batch is written. */
  readonly delivered: () => void;
  /** The carrier failed, and may or may not have written it: it will be sent again. */
  readonly lost: () => void;
}

/** What a run has said and the store has not acknowledged. */
export interface Outbox {
  add(said: JournalEntries): void;
  /**
   * Packs everything that is not on its way yet; `null`: there is no event that could carry it.
   * @param call the call that it travels with
   */
  pack(run: Run, call?: Carrier['call']): JournalDelivery | null;
  isEmpty(): boolean;
  /** There is an event that is not on its way. */
  hasEvents(): boolean;
  /** Everything that is not on its way. */
  pendingEntries(): JournalEntries;
}

/** What steps of the interpreter have led to that the store is to know. */
export interface JournalEntries {
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  readonly approvals: readonly Approval[];
  readonly signals: readonly RecordedSignal[];
}

export function createOutbox(graph: CompiledGraph): Outbox {
  let unsent: JournalEntries[] = [];
  const onTheWay = new Set<readonly JournalEntries[]>();
  const hasEvents = (): boolean => unsent.some(({ events }) => events.length > 0);
  return {
    hasEvents,
    add({ events, checkpoints, approvals, signals }) {
      const size = events.length + approvals.length + signals.length;
      if (size > 0) unsent.push({ events, checkpoints, approvals, signals });
    },
    pack(run, call = null) {
      if (!hasEvents()) return null;
      const entries = unsent;
      unsent = [];
      onTheWay.add(entries);
      return {
        batch: packBatch(toBatch(graph, entries, run), { runId: run.id, call }),
        delivered: () => void onTheWay.delete(entries),
        lost() {
          if (onTheWay.delete(entries)) unsent = [...entries, ...unsent];
        },
      };
    },
    isEmpty: () => unsent.length === 0 && onTheWay.size === 0,
    pendingEntries: () => merge(unsent),
  };
}

function merge(entries: readonly JournalEntries[]): JournalEntries {
  const [only, ...others] = entries;
  if (only && others.length === 0) return only;
  return {
    events: entries.flatMap(({ events }) => events).sort((a, b) => a.seq - b.seq),
    checkpoints: entries.flatMap(({ checkpoints }) => checkpoints),
    approvals: entries.flatMap(({ approvals }) => approvals),
    signals: entries.flatMap(({ signals }) => signals),
  };
}

/** Approvals as they are now; of those that a run has forgotten, the ones that are said to be closed. */
function asTheyAre(said: readonly Approval[], { approvals }: Run): readonly Approval[] {
  const latest = new Map(said.map((approval) => [approval.id, own(approvals, approval.id) ?? approval]));
  return [...latest.values()].filter(({ id, status }) => status !== 'pending' || Object.hasOwn(approvals, id));
}

/** A batch that was lost is packed again with later events. */
function toBatch(graph: CompiledGraph, entries: readonly JournalEntries[], run: Run): JournalBatch {
  const { approvals, ...said } = merge(entries);
  return {
    ...said,
    approvals: asTheyAre(approvals, run),
    view: toRunView(run),
    endedState: hasEnded(run) ? toEndedState(run, graph) : null,
  };
}
