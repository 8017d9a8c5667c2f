import { isEnded } from '../../../graph/run/index.ts';
import { mapPage } from '../../../store/page.ts';
import type { Page } from '../../../store/page.ts';
import type { RunRecord } from '../../../store/runs.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Caller } from '../../http/authenticate.ts';
import { toRunJson } from '../run-json.ts';

/** Makes the answer for a page of runs, each with its calls that are tried again, as a caller may see them. */
export async function toRunPage(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  page: Page<RunRecord>,
): Promise<Page<ReturnType<typeof toRunJson>>> {
  const open = page.items.filter(({ status }) => !isEnded(status)).map(({ id }) => id);
  const retrying = await store.ledger.retryingOf(open);
  return mapPage(page, (run) => toRunJson(run, caller, { retrying: retrying.get(run.id) ?? [] }));
}
