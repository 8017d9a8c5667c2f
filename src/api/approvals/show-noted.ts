import { NO_NOTES } from '../../store/approval-notes/approval-notes.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import type { ApprovalOfRun } from './find-approval.ts';
import { toInboxApproval } from './inbox-approval.ts';
import { MAX_COMMENTS, withNotes } from './with-notes.ts';
import type { NotedApproval } from './with-notes.ts';

/** Shows an approval with what people have added to it. */
export async function showNoted(
  deps: Pick<ApiDeps, 'store' | 'seals'>,
  caller: Caller,
  { approval, run }: ApprovalOfRun,
): Promise<NotedApproval> {
  const shown = toInboxApproval(approval, hiddenFrom(caller, run), deps.seals);
  const [noted] = await withNotes(deps, [shown], MAX_COMMENTS);
  return noted ?? { ...shown, ...NO_NOTES };
}
