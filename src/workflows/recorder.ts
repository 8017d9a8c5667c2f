import { CancellationScope, sleep } from '@temporalio/workflow';
import { statusOf } from '../graph/run/index.ts';
import type { CallEffect, Run } from '../graph/run/index.ts';
import { activities, queueElsewhere } from './activities.ts';
import type { Inbox } from './inbox.ts';
import type { Outbox, JournalDelivery } from './outbox.ts';

/** Has the store know what is in the outbox: by the calls that a run makes anyway, or by an activity of its own. */
export interface Recorder {
  /** Something is new that people are waiting to see. */
  flushSoon(): void;
  isUrgent(): boolean;
  /** The activity of its own is out. */
  isFlushing(): boolean;
  /** Packs what the activity of a call takes along; `null`: nothing, and what there is to say is urgent. */
  attach(run: Run, call: CallEffect): JournalDelivery | null;
  /**
   * Writes by an activity, where no call will carry it soon: one at a time, and at once only when somebody waits to see
   * what is new, or the interpreter waits to go on; otherwise when no call has carried it for some seconds.
   * @param hasYielded the interpreter does; a `continue` is its answer
   */
  flush(run: Run, hasYielded: boolean): void;
}

interface RecorderDeps {
  readonly outbox: Outbox;
  readonly inbox: Inbox;
}

/** So long what is new may stay unwritten while other calls are out. */
const CATCH_UP_AFTER_MS = 5_000;

export function createRecorder({ outbox, inbox }: RecorderDeps): Recorder {
  let isUrgent = false;
  let isOut = false;
  let isCatchingUp = false;
  const catchUp = (): void => {
    isCatchingUp = false;
    if (!outbox.hasEvents()) return;
    isUrgent = true;
    inbox.push({ kind: 'continue' });
  };
  const catchUpLater = (): void => {
    if (isCatchingUp || !outbox.hasEvents()) return;
    isCatchingUp = true;
    void CancellationScope.nonCancellable(() => sleep(CATCH_UP_AFTER_MS, { summary: 'journal' })).then(catchUp);
  };
  const deliver = async ({ id: runId, tenantId }: Run, { batch, delivered }: JournalDelivery): Promise<void> => {
    await CancellationScope.nonCancellable(() => activities.record({ runId, tenantId, journal: batch }));
    delivered();
    isOut = false;
    inbox.push({ kind: 'continue' });
  };
  return {
    flushSoon: () => void (isUrgent = true),
    isUrgent: () => isUrgent,
    isFlushing: () => isOut,
    attach(run, call) {
      if (queueElsewhere(call) === null) {
        const parcel = outbox.pack(run, call);
        if (parcel) isUrgent = false;
        return parcel;
      }
      // It may wait long for workers of its own: what the run has to say does not wait with it.
      isUrgent = true;
      return null;
    },
    flush(run, hasYielded) {
      if (isOut) return;
      if (!isUrgent && !hasYielded && statusOf(run) === 'running') return catchUpLater();
      const parcel = outbox.pack(run);
      if (!parcel) {
        if (hasYielded) inbox.push({ kind: 'continue' });
        return;
      }
      isUrgent = false;
      isOut = true;
      void deliver(run, parcel);
    },
  };
}
