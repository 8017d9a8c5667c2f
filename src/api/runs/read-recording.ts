import type { Recording } from '../../graph/replay/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { startOf } from './pinned-graph.ts';
import { readLog } from './read-log.ts';
import { firstBeginning } from './thread-state.ts';

/**
 * Reads all that makes an ended run happen again: what it has pinned, how it began, and what happened to it.
 * @throws ApiError 409 when the run has not ended, or is too large
 */
export async function readRecording(deps: Pick<ApiDeps, 'store'>, run: RunRecord): Promise<Recording> {
  const log = await readLog(deps.store, run);
  const start = await startOf(deps, run);
  const { identity, definition, catalog } = start;
  return {
    identity,
    definition,
    catalog,
    redaction: run.redaction,
    begin: await firstBeginning(deps.store, start, run.predecessorId),
    ...log,
    answers: Object.fromEntries(log.answers),
  };
}
