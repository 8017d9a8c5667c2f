import { Context } from '@temporalio/activity';
import { unpackBatch } from '../graph/packed-batch.ts';
import type { PackedBatch } from '../graph/packed-batch.ts';
import type { Store } from '../store/store.ts';

/** What a run says by way of an activity; `null`: nothing this time. */
export interface JournalEntry {
  readonly runId: string;
  readonly tenantId: string;
  readonly journal: PackedBatch | null;
}

/** Writes what an activity of a workflow carries into the store. */
export async function writeJournal(store: Store, { runId, tenantId, journal }: JournalEntry): Promise<void> {
  if (!journal) return;
  const executionRunId = Context.current().info.workflowExecution?.runId ?? '';
  await store.journal.write(unpackBatch(journal), { runId, tenantId, executionRunId });
}
