import type { JournalBatch } from '../graph/journal/index.ts';
import type { Logger } from '../process/logger.ts';
import type { JournalWriter } from '../store/journal.ts';
import type { Store } from '../store/store.ts';
import { journalMeasurements } from '../telemetry/metrics/journal-measurements.ts';
import { measureAll } from '../telemetry/metrics/meter.ts';
import { createNodeClock } from '../telemetry/metrics/node-clock.ts';
import { logEvents } from './log-events.ts';

interface Written {
  readonly batch: JournalBatch;
  readonly writer: JournalWriter;
}

/** Batches that are remembered, so that one which is written again is told once. */
const MAX_REMEMBERED = 10_000;

/** A store that measures and logs what is written into the journal, by itself or with a call. It asks for nothing more. */
export function measuredStore(store: Store, logger: Logger): Store {
  const { journal, ledger } = store;
  const tell = createTeller(logger);
  return {
    ...store,
    journal: {
      ...journal,
      async write(batch, writer) {
        await journal.write(batch, writer);
        tell({ batch, writer });
      },
    },
    ledger: {
      ...ledger,
      async claim(claim, judge) {
        const result = await ledger.claim(claim, judge);
        if (claim.journal) tell(claim.journal);
        return result;
      },
      async settle(claim, end, judge) {
        const result = await ledger.settle(claim, end, judge);
        if (claim.journal) tell(claim.journal);
        return result;
      },
    },
  };
}

function createTeller(logger: Logger): (written: Written) => void {
  const clock = createNodeClock();
  const told = new Set<string>();
  return ({ batch, writer }) => {
    const { events } = batch;
    const { runId, graph = '' } = writer;
    const name = [runId, events[0]?.seq, events.at(-1)?.seq].join();
    if (told.has(name)) return;
    told.add(name);
    const [oldest] = told;
    if (told.size > MAX_REMEMBERED && oldest !== undefined) told.delete(oldest);
    measureAll(journalMeasurements(batch, { runId, graph }, { now: Date.now(), clock }));
    logEvents(logger, batch, writer);
  };
}
