import type { RunEvent } from '../../graph/journal/index.ts';
import type { ReplayLog } from '../../graph/replay/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../http/errors.ts';

/** Limits of a recorded run, because its log is held in memory. */
const MAX_RECORDED = 50_000;
const MAX_RECORDED_BYTES = 64 * 1_048_576;

/**
 * Reads all that has happened to a run.
 * @throws ApiError 409 when the run has not ended, or is too large
 */
export async function readLog({ journal, ledger }: Store, run: RunRecord): Promise<ReplayLog> {
  if (!isEnded(run.status)) throw refused(`The run is ${run.status}; its log is whole when it has ended`);
  if (run.lastSeq > MAX_RECORDED)
    throw refused(`The run has ${run.lastSeq} events; up to ${MAX_RECORDED} can be replayed`);
  const bytes = await journal.recordedBytes(run.id);
  if (bytes > MAX_RECORDED_BYTES)
    throw refused(`The run has ${bytes} bytes of events and answers; up to ${MAX_RECORDED_BYTES} can be replayed`);
  const events: RunEvent[] = [];
  for (let page = await journal.events(run.id, 0, PAGE); page.length > 0;) {
    events.push(...page);
    page = await journal.events(run.id, events.length, PAGE);
  }
  const [occurrences, answers] = await Promise.all([journal.occurrences(run.id), ledger.answers(run.id)]);
  return { events, occurrences, answers };
}

const PAGE = 1_000;

function refused(message: string): ApiError {
  return new ApiError('NOT_ALLOWED_NOW', message);
}
