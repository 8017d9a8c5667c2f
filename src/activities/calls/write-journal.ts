import { ApplicationFailure, Context } from '@temporalio/activity';
import { CONTRADICTION, TRACED_EVENTS } from '../../graph/journal/index.ts';
import type { EndedSegments, JournalBatch } from '../../graph/journal/index.ts';
import { MAX_MESSAGE, messageOf, truncate } from '../../graph/values/index.ts';
import { isContradiction, isDataRefused } from '../../store/database/database-away.ts';
import type { CallClaim } from '../../store/calls/ledger-claims.ts';
import type { Store } from '../../store/store.ts';
import type { CallTask } from './call-task.ts';
import { isTracing } from '../../telemetry/traces/run-tracer.ts';
import { emitSegment } from '../../telemetry/traces/emit-segment.ts';

/** The journal batch that an activity writes; `null` if there is none. */
export interface JournalWrite {
  readonly runId: string;
  readonly tenantId: string;
  /** The name of its graph. */
  readonly graph: string;
  readonly journal: JournalBatch | null;
  /** Ended parts of a traced run. */
  readonly segments?: EndedSegments;
}

/**
 * Writes the batch of an activity into the store.
 * @throws ApplicationFailure `INTERNAL`, which the server does not retry, if the database refuses the batch itself;
 * `CONTRADICTION`, if the batch contradicts the journal
 */
export async function writeJournal(store: Store, entry: JournalWrite): Promise<void> {
  const journal = journalSender(entry);
  if (!journal) return;
  try {
    await store.journal.write(journal.batch, journal.writer);
  } catch (error) {
    if (isContradiction(error)) throw journalContradiction();
    if (!isDataRefused(error)) throw error;
    Context.current().log.error('the database refuses the journal of a run, which fails', { error });
    const message = `The database refuses the journal: ${messageOf(error)}`;
    throw ApplicationFailure.nonRetryable(truncate(message, MAX_MESSAGE), 'INTERNAL');
  }
}

/** The failure of an activity whose batch contradicts the journal: it ends the workflow. */
export function journalContradiction(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(CONTRADICTION_MESSAGE, CONTRADICTION);
}

const CONTRADICTION_MESSAGE =
  'The journal has other events: the workflow was reset in Temporal, or a backup of one of the two was restored';

/** Identifies the execution that sent the batch of an activity. */
export function journalSender({ runId, tenantId, graph, journal }: JournalWrite): CallClaim['journal'] {
  if (!journal) return null;
  const executionRunId = Context.current().info.workflowExecution?.runId ?? '';
  return { batch: journal, writer: { runId, tenantId, executionRunId, graph } };
}

/** The journal batch of a call, which is written with the record of a short call, and by itself during a long one. */
export interface LateJournal {
  /**
   * Stops waiting.
   * @returns the batch, unless it is already written
   * @throws ApplicationFailure as in `writeJournal`, if the database has refused it
   */
  take(): Promise<CallClaim['journal']>;
  close(): void;
}

/** The longest delay, in milliseconds, until people see a run's progress. */
const WRITE_AFTER_MS = 100;

export function openLateJournal(store: Store, task: CallTask): LateJournal {
  const batch = journalSender(task);
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

/** The part of the store that contains the events of segments. */
interface SegmentSource {
  readonly journal: Pick<Store['journal'], 'ofTypes'>;
}

/** Creates the spans of a run's ended segments from its journal. Errors here never fail a run. */
export async function emitSegments(
  { journal }: SegmentSource,
  { runId, tenantId, segments: ended }: JournalWrite,
): Promise<void> {
  if (!ended || !isTracing()) return;
  const { run, segments } = ended;
  const giveUpAt = Date.now() + WRITE_WITHIN_MS;
  try {
    for (const { name, after, upTo, ...times } of segments) {
      const events = journal.ofTypes(runId, TRACED_EVENTS, { after, upTo });
      await emitSegment({ runId, tenantId, run, segment: name, ...times }, takeUntil(giveUpAt, events));
    }
  } catch (error) {
    Context.current().log.warn('the spans of a run are lost', { error, run: runId });
  }
}

/** The limit is short because the run waits for its journal. */
const WRITE_WITHIN_MS = 5_000;

async function* takeUntil<T>(time: number, items: AsyncIterable<T>): AsyncIterable<T> {
  for await (const item of items) {
    if (Date.now() > time) throw new Error(`To read the events of its segments took more than ${WRITE_WITHIN_MS} ms`);
    yield item;
  }
}
