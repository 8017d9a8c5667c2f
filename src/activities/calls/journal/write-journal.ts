import { ApplicationFailure, Context } from '@temporalio/activity';
import { CONTRADICTION, unpackBatch } from '../../../graph/journal/index.ts';
import type { EndedSegments, PackedBatch } from '../../../graph/journal/index.ts';
import type { CallRequest } from '../../../graph/run/index.ts';
import { MAX_MESSAGE, messageOf, truncate } from '../../../graph/values/index.ts';
import { isContradiction } from '../../../store/database/contradiction.ts';
import { isDataRefused } from '../../../store/database/data-refused.ts';
import type { CallClaim } from '../../../store/calls/ledger-claims.ts';
import type { Store } from '../../../store/store.ts';

/** The journal batch in the input of an activity; `null` if there is none. */
export interface JournalWrite {
  readonly runId: string;
  readonly tenantId: string;
  /** The name of its graph. */
  readonly graph: string;
  readonly journal: PackedBatch | null;
  /** The call of the same activity. */
  readonly key?: string;
  readonly request?: CallRequest;
  /** Parts of a traced run that are over. */
  readonly segments?: EndedSegments;
}

/**
 * Writes the batch of an activity into the store.
 * @throws ApplicationFailure `INTERNAL`, which the server does not retry, if the database refuses the batch itself;
 * `CONTRADICTION`, if the batch says something else than the journal does
 */
export async function writeJournal(store: Store, entry: JournalWrite): Promise<void> {
  const unpacked = unpackJournal(entry);
  if (!unpacked) return;
  try {
    await store.journal.write(unpacked.batch, unpacked.writer);
  } catch (error) {
    if (isContradiction(error)) throw contradiction();
    if (!isDataRefused(error)) throw error;
    Context.current().log.error('the database refuses the journal of a run, which fails', { error });
    const message = `The database refuses the journal: ${messageOf(error)}`;
    throw ApplicationFailure.nonRetryable(truncate(message, MAX_MESSAGE), 'INTERNAL');
  }
}

/** The failure of an activity whose batch says something else than the journal: it ends the workflow. */
export function contradiction(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(SAYS_SOMETHING_ELSE, CONTRADICTION);
}

const SAYS_SOMETHING_ELSE =
  'The journal has other events: the workflow was reset in Temporal, or a backup of one of the two was restored';

/** Unpacks the batch of an activity and names the execution that wrote it. */
export function unpackJournal({ runId, tenantId, graph, journal, key, request }: JournalWrite): CallClaim['journal'] {
  if (!journal) return null;
  const executionRunId = Context.current().info.workflowExecution?.runId ?? '';
  const call = key !== undefined && request ? { key, request } : null;
  return { batch: unpackBatch(journal, { runId, call }), writer: { runId, tenantId, executionRunId, graph } };
}
