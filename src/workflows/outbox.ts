import type { Approval } from '../graph/run/approval.ts';
import type { Checkpoint } from '../graph/journal/checkpoint.ts';
import { closeRun } from '../graph/journal/ended-run.ts';
import type { CompiledGraph } from '../graph/compile/compile.ts';
import type { RunEvent } from '../graph/journal/events.ts';
import type { JournalBatch } from '../graph/journal/batch.ts';
import { packBatch } from '../graph/journal/packed-batch.ts';
import type { Carrier } from '../graph/journal/packed-events.ts';
import type { PackedBatch } from '../graph/journal/packed-batch.ts';
import { isEnded } from '../graph/run/run.ts';
import { own } from '../graph/values/json.ts';
import type { RecordedSignal } from '../graph/run/occurrence.ts';
import type { Run } from '../graph/run/run.ts';
import { toRunView } from '../graph/journal/run-view.ts';

/** A batch on its way to the store; it is held until the activity that carries it has come back. */
export interface Parcel {
  readonly batch: PackedBatch;
  /** The carrier came back: the batch is written. */
  readonly delivered: () => void;
  /** The carrier failed, and may or may not have written it: it will be sent again. */
  readonly lost: () => void;
}

/** What a run has said and the store has not acknowledged. */
export interface Outbox {
  add(said: Said): void;
  /**
   * Packs everything that is not on its way yet; `null`: there is no event that could carry it.
   * @param call the call that it travels with
   */
  pack(run: Run, call?: Carrier['call']): Parcel | null;
  isEmpty(): boolean;
  /** There is an event that is not on its way. */
  hasNews(): boolean;
  /** Everything that is not on its way. */
  unsent(): Said;
}

/** What steps of the interpreter have led to that the store is to know. */
export interface Said {
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  readonly approvals: readonly Approval[];
  readonly signals: readonly RecordedSignal[];
}

export function createOutbox(graph: CompiledGraph): Outbox {
  let unsent: Said[] = [];
  const onTheWay = new Set<readonly Said[]>();
  const hasNews = (): boolean => unsent.some(({ events }) => events.length > 0);
  return {
    hasNews,
    add({ events, checkpoints, approvals, signals }) {
      const size = events.length + approvals.length + signals.length;
      if (size > 0) unsent.push({ events, checkpoints, approvals, signals });
    },
    pack(run, call = null) {
      if (!hasNews()) return null;
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
    unsent: () => merge(unsent),
  };
}

function merge(entries: readonly Said[]): Said {
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
function toBatch(graph: CompiledGraph, entries: readonly Said[], run: Run): JournalBatch {
  const { approvals, ...said } = merge(entries);
  return {
    ...said,
    approvals: asTheyAre(approvals, run),
    view: toRunView(run),
    closed: isEnded(run.status) ? closeRun(run, graph) : null,
  };
}
