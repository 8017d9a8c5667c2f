import { ApplicationFailure } from '@temporalio/activity';
import type { CallClaim } from '../../../store/calls/ledger-claims.ts';
import type { Store } from '../../../store/store.ts';
import type { CallTask } from '../call-task.ts';
import { unpackJournal, writeJournal } from './write-journal.ts';

/** The journal batch of a call, which is written with the record of a short call, and by itself during a long one. */
export interface LateJournal {
  /**
   * Waits no longer. @returns the batch, unless it is written already
   * @throws ApplicationFailure as `writeJournal`, if the database has refused it
   */
  take(): Promise<CallClaim['journal']>;
  close(): void;
}

/** People see a run's progress this much later at most, in milliseconds. */
const WRITE_AFTER_MS = 100;

export function openLateJournal(store: Store, task: CallTask): LateJournal {
  const batch = unpackJournal(task);
  let writing: Promise<unknown> | null = null;
  const write = (): void => {
    writing = writeJournal(store, task).then(
      () => null,
      (error: unknown) => error,
    );
  };
  const timer = batch && setTimeout(write, WRITE_AFTER_MS);
  const close = (): void => {
    if (timer) clearTimeout(timer);
  };
  return {
    close,
    async take() {
      close();
      if (!writing) return batch;
      const failure = await writing;
      if (failure instanceof ApplicationFailure) throw failure;
      return failure === null ? null : batch;
    },
  };
}
