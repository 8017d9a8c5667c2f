import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { maySeeTenant } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { mapPage } from '../../store/page.ts';
import { hiddenFrom, redactEvent } from '../redaction.ts';
import { toEventPosition } from '../../store/events.ts';
import { readPageByCursor } from '../http/paging.ts';

/** Finds a run of the caller's tenant; admins find runs of all tenants. @throws ApiError 404 */
export async function findRun({ store }: Pick<ApiDeps, 'store'>, caller: Caller, id: string): Promise<RunRecord> {
  const run = await store.runs.find(id);
  if (!run || !maySeeTenant(caller, run.tenantId)) throw unknownRun(id);
  return run;
}

export function unknownRun(id: string): ApiError {
  return new ApiError('UNKNOWN_RUN', `There is no run "${id}"`);
}

interface RequestedHistory {
  readonly run: RunRecord;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** The `seq` of the event after which the page begins. */
  readonly after?: number | undefined;
}

/** Reads a page of a run's events, redacted for the caller. @throws ApiError `INVALID_CURSOR` */
export async function listHistory(
  { cursors, fingerprints, store }: Pick<ApiDeps, 'cursors' | 'fingerprints' | 'store'>,
  caller: Caller,
  { run, after = 0, ...page }: RequestedHistory,
) {
  const hidden = hiddenFrom(caller, run);
  const asked = { list: ['history', run.tenantId, run.id, after], ...page };
  return await readPageByCursor(cursors, asked, async (request) => {
    const found = await store.journal.list(run.id, { ...request, after: request.after ?? toEventPosition(after) });
    return mapPage(found, (event) => redactEvent(event, hidden, fingerprints));
  });
}
