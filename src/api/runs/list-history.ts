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
}

/** Reads a page of a run's events, as a caller may see them. @throws ApiError `INVALID_CURSOR` */
export async function listHistory(
  { cursors, seals, store }: Pick<ApiDeps, 'cursors' | 'seals' | 'store'>,
  caller: Caller,
  { run, ...page }: AskedHistory,
) {
  const hidden = hiddenFrom(caller, run);
  const asked = { list: ['history', run.tenantId, run.id], ...page };
  return await readPage(cursors, asked, async (request) =>
    mapPage(await store.journal.list(run.id, request), (event) => shownEvent(event, hidden, seals)),
  );
}
