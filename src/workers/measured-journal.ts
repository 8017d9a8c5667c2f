import { decodeTime, isValid } from 'ulid';
import { durations } from '../process/durations.ts';
import type { Store } from '../store/store.ts';

type Journal = Store['journal'];

/** A journal that measures the runs whose end is written into it. The id of a run tells when it was asked for. */
export function measuredJournal(journal: Journal): Journal {
  return {
    ...journal,
    async write(batch, writer) {
      await journal.write(batch, writer);
      const { endedAt, status } = batch.view;
      // What is written is written: an id that tells no time is not measured.
      if (endedAt === null || !isValid(writer.runId)) return;
      const ms = Date.parse(endedAt) - decodeTime(writer.runId);
      durations.run.record(Math.max(0, ms) / 1_000, { outcome: status });
    },
  };
}
