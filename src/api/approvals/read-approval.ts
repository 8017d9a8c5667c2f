import type { Approval } from '../../graph/run/index.ts';
import { NO_NOTES } from '../../store/approval-notes/approval-notes.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { findRun } from '../runs/find-run.ts';
import { findApproval } from './find-approval.ts';
import { toInboxApproval } from './inbox-approval.ts';
import { MAX_COMMENTS, withNotes } from './with-notes.ts';
import type { NotedApproval } from './with-notes.ts';

type ReadDeps = Pick<ApiDeps, 'store' | 'seals'>;

/** Finds an approval that a caller may see, and its run. @throws ApiError 404 */
export async function findAsked(
  deps: ReadDeps,
  caller: Caller,
  id: string,
): Promise<{ readonly approval: Approval; readonly run: RunRecord }> {
  const approval = await findApproval(deps, caller, id);
  return { approval, run: await findRun(deps, caller, approval.runId) };
}

/** Shows an approval with what people have added to it. */
export async function showNoted(
  deps: ReadDeps,
  caller: Caller,
  { approval, run }: { readonly approval: Approval; readonly run: RunRecord },
): Promise<NotedApproval> {
  const shown = toInboxApproval(approval, hiddenFrom(caller, run), deps.seals);
  const [noted] = await withNotes(deps, [shown], MAX_COMMENTS);
  return noted ?? { ...shown, ...NO_NOTES };
}
