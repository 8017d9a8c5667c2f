import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { JournalBatch } from '../graph/journal/index.ts';
import { forgetOldest } from '../graph/values/index.ts';
import type { Logger } from '../process/logger.ts';
import type { JournalWriter } from '../store/journal.ts';
import type { Store } from '../store/store.ts';
import { journalMeasurements, createNodeClock } from '../telemetry/metrics/journal-measurements.ts';
import { measureAll, measure } from '../telemetry/metrics/meter.ts';
import { logEvents } from './log-events.ts';

/** The number of events that are remembered, because events of a failed write are written again with later ones. */
const MAX_REMEMBERED = 50_000;

/** Wraps a store so that all events written to the journal, alone or with a call, are measured and logged. */
export function measuredStore(store: Store, logger: Logger): Store {
  const { journal, ledger } = store;
  const report = createReporter(store, logger);
  return {
    ...store,
    journal: {
      ...journal,
      async write(batch, writer) {
        await journal.write(batch, writer);
        await report(batch, writer);
      },
    },
    ledger: {
      ...ledger,
      async claim(claim, judge) {
        const result = await ledger.claim(claim, judge);
        if (claim.journal) await report(claim.journal.batch, claim.journal.writer);
        return result;
      },
      async settle(claim, end, judge) {
        const result = await ledger.settle(claim, end, judge);
        if (claim.journal) await report(claim.journal.batch, claim.journal.writer);
        return result;
      },
    },
  };
}

/** Creates a function that measures and logs the events of a batch that it has not reported before. */
function createReporter(store: Store, logger: Logger): (batch: JournalBatch, writer: JournalWriter) => Promise<void> {
  const clock = createNodeClock();
  const reported = new Set<string>();
  const isNew = (name: string): boolean => {
    if (reported.has(name)) return false;
    reported.add(name);
    forgetOldest(reported, MAX_REMEMBERED);
    return true;
  };
  return async (batch, writer) => {
    const { runId, graph = '' } = writer;
    const events = batch.events.filter(({ seq }) => isNew(`${runId} ${seq}`));
    if (events.length === 0) return;
    measureAll(journalMeasurements({ ...batch, events }, { runId, graph }, Date.now(), clock));
    await logEvents({ store, logger }, events, writer);
  };
}

/** Measures the duration and the waiting time of each attempt of an activity. */
export const measureActivities: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      const { activityType: activity, currentAttemptScheduledTimestampMs, isLocal } = info;
      const start = performance.now();
      const record = (outcome: 'completed' | 'failed'): void =>
        measure('holdfast.activity.duration', (performance.now() - start) / 1_000, { activity, outcome });
      // A local activity does not wait for a worker.
      if (!isLocal) {
        const waitedMs = Math.max(0, Date.now() - currentAttemptScheduledTimestampMs);
        measure('holdfast.activity.queue_time', waitedMs / 1_000, { activity });
      }
      try {
        const result = await next(input);
        record('completed');
        return result;
      } catch (error) {
        record('failed');
        throw error;
      }
    },
  },
});
