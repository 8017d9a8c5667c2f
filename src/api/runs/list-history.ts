import { toPosition } from '../../store/events.ts';
import { mapPage } from '../../store/page.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { readPage } from '../http/paging.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { shownEvent } from '../redaction/shown-approval.ts';

interface AskedHistory {
  readonly run: RunRecord;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** The `seq` of the event that it begins behind. */
  readonly after?: number | undefined;
}

/** Reads a page of a run's events, as a caller may see them. @throws ApiError `INVALID_CURSOR` */
export async function listHistory(
  { cursors, seals, store }: Pick<ApiDeps, 'cursors' | 'seals' | 'store'>,
  caller: Caller,
  { run, after = 0, ...page }: AskedHistory,
) {
  const hidden = hiddenFrom(caller, run);
  const asked = { list: ['history', run.tenantId, run.id, after], ...page };
  return await readPage(cursors, asked, async (request) => {
    const found = await store.journal.list(run.id, { ...request, after: request.after ?? toPosition(after) });
    return mapPage(found, (event) => shownEvent(event, hidden, seals));
  });
}
