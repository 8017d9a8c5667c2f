import { Context } from '@temporalio/activity';
import { unpackBatch } from '../../graph/journal/index.ts';
import type { PackedBatch } from '../../graph/journal/index.ts';
import type { CallRequest } from '../../graph/run/index.ts';
import type { CallClaim } from '../../store/ledger-claims.ts';
import type { Store } from '../../store/store.ts';

/** The journal batch in the input of an activity; `null` if there is none. */
export interface JournalWrite {
  readonly runId: string;
  readonly tenantId: string;
  readonly journal: PackedBatch | null;
  /** The call of the same activity. */
  readonly key?: string;
  readonly request?: CallRequest;
}

/** Writes the batch of an activity into the store. */
export async function writeJournal(store: Store, entry: JournalWrite): Promise<void> {
  const unpacked = unpackJournal(entry);
  if (unpacked) await store.journal.write(unpacked.batch, unpacked.writer);
}

/** Unpacks the batch of an activity and names the execution that wrote it. */
export function unpackJournal({ runId, tenantId, journal, key, request }: JournalWrite): CallClaim['journal'] {
  if (!journal) return null;
  const executionRunId = Context.current().info.workflowExecution?.runId ?? '';
  const call = key !== undefined && request ? { key, request } : null;
  return { batch: unpackBatch(journal, { runId, call }), writer: { runId, tenantId, executionRunId } };
}
