import { CancellationScope, sleep } from '@temporalio/workflow';
import type { ApplicationFailure } from '@temporalio/workflow';
import type { EndedSegments, JournalBatch } from '../graph/journal/index.ts';
import { statusOf } from '../graph/run/index.ts';
import type { CallEffect, Run } from '../graph/run/index.ts';
import { activities, separateTaskQueue } from './activities.ts';
import { markCompressed } from './payload-converter.ts';
import { toJournalFailure } from './failures.ts';
import type { RefusedBatch } from './failures.ts';
import type { Inbox } from './inbox.ts';
import type { Outbox, JournalDelivery } from './outbox.ts';
import type { Segments } from './segments.ts';

/** Writes the outbox to the store: with the calls that a run makes anyway, or by a separate activity. */
export interface JournalFlusher {
  /** Marks the outbox as urgent: a person may be waiting to see the new entries. */
  flushSoon(): void;
  isUrgent(): boolean;
  /** Ends the workflow task, which sends the outbox if it holds an event, and calls `resume` in a later one. */
  pause(resume: () => void): void;
  /** True while the separate activity is open. */
  isFlushing(): boolean;
  /**
   * Takes the batch that a call's activity writes.
   * @returns `null` if there is nothing to write, or if the call's task queue may be slow; a flush follows then
   */
  attach(run: Run, call: CallEffect): JournalDelivery | null;
  /**
   * Writes the outbox by a separate activity, one at a time: at once if it is urgent, the run waits or the interpreter
   * has yielded, otherwise after `FLUSH_AFTER_MS`.
   */
  flush(run: Run, shell: ShellState): void;
}

interface ShellState {
  /** True if a `continue` must follow the flush. */
  readonly hasYielded: boolean;
  /** True while local calls are made. Until they end or pause, the workflow task is open, so nothing leaves the worker. */
  readonly isCallingLocally: boolean;
}

interface JournalFlusherDeps {
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly refusal: RefusedBatch;
  /** `null` if the run is not traced. */
  readonly segments: Segments | null;
}

/** The time for which new entries may stay unwritten while other calls are open. */
const FLUSH_AFTER_MS = 5_000;

export function createJournalFlusher({ outbox, inbox, refusal, segments }: JournalFlusherDeps): JournalFlusher {
  let isUrgent = false;
  let isFlushing = false;
  const pauses = createFlushPauses();
  const flushLate = createLateFlush(outbox, () => {
    isUrgent = true;
    inbox.push({ kind: 'continue' });
  });
  const write = async (run: Run, { batch, delivered }: JournalDelivery): Promise<void> => {
    const failure = await recordBatch(run, batch, segments?.takeEnded() ?? null);
    if (failure) return refusal.set(failure);
    isFlushing = false;
    delivered();
    pauses.end();
    inbox.push({ kind: 'continue' });
  };
  return {
    flushSoon: () => void (isUrgent = true),
    isUrgent: () => isUrgent,
    isFlushing: () => isFlushing,
    pause(resume) {
      pauses.add(resume);
      inbox.push({ kind: 'continue' });
    },
    attach(run, call) {
      if (separateTaskQueue(call) === null) {
        const delivery = outbox.take(run);
        if (delivery) isUrgent = false;
        return delivery;
      }
      // Workers of another task queue may start the call much later, so the journal does not travel with it.
      isUrgent = true;
      return null;
    },
    flush(run, { hasYielded, isCallingLocally }) {
      if (isFlushing || (isCallingLocally && pauses.isEmpty())) return;
      if (!isUrgent && !hasYielded && pauses.isEmpty() && statusOf(run) === 'running') return flushLate();
      const delivery = outbox.take(run);
      if (!delivery) {
        if (hasYielded) inbox.push({ kind: 'continue' });
        return pauses.endByTimer();
      }
      isUrgent = false;
      isFlushing = true;
      void write(run, delivery);
    },
  };
}

/** @returns a function that flushes the events present after `FLUSH_AFTER_MS` */
function createLateFlush(outbox: Outbox, flush: () => void): () => void {
  let isScheduled = false;
  const wake = (): void => {
    isScheduled = false;
    if (outbox.hasEvents()) flush();
  };
  return () => {
    if (isScheduled || !outbox.hasEvents()) return;
    isScheduled = true;
    void CancellationScope.nonCancellable(() => sleep(FLUSH_AFTER_MS, { summary: 'journal' })).then(wake);
  };
}

/** Writes a batch by a separate activity. @returns the failure if the store refuses the batch; otherwise `null` */
async function recordBatch(
  { id: runId, tenantId, graph }: Run,
  journal: JournalBatch,
  segments: EndedSegments | null,
): Promise<ApplicationFailure | null> {
  const entry = { runId, tenantId, graph: graph.name, ...(segments && { segments }) };
  try {
    await CancellationScope.nonCancellable(() => activities.record(entry, markCompressed(journal)));
    return null;
  } catch (error) {
    return toJournalFailure(error);
  }
}

/** Functions that wait for a later workflow task. */
interface FlushPauses {
  add(resume: () => void): void;
  isEmpty(): boolean;
  /** Ends all pauses, because another workflow task has begun. */
  end(): void;
  /** Ends them by a timer, which ends the current workflow task. */
  endByTimer(): void;
}

function createFlushPauses(): FlushPauses {
  let resumes: (() => void)[] = [];
  const end = (ended: readonly (() => void)[]): void => {
    for (const resume of ended) resume();
  };
  const takeAll = (): readonly (() => void)[] => {
    const taken = resumes;
    resumes = [];
    return taken;
  };
  return {
    add: (resume) => void resumes.push(resume),
    isEmpty: () => resumes.length === 0,
    end: () => end(takeAll()),
    endByTimer() {
      const taken = takeAll();
      if (taken.length > 0) void CancellationScope.nonCancellable(() => sleep(1)).then(() => end(taken));
    },
  };
}
