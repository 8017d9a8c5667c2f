import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { findWithRun } from './find-approval.ts';
import { requirePending } from './require-pending.ts';
import { showNoted } from './show-noted.ts';
import { MAX_COMMENTS } from './with-notes.ts';
import type { NotedApproval } from './with-notes.ts';

type NoteDeps = Pick<ApiDeps, 'store' | 'seals'>;

/** The time between two reminders of an approval. */
const REMIND_EVERY_SECONDS = 600;

/** Adds a comment to an approval, once for all tries of the request. @throws ApiError 404, 409 when there are enough */
export async function commentOnApproval(
  deps: NoteDeps,
  caller: Caller,
  { id, attempt, text }: { readonly id: string; readonly attempt: RequestAttempt; readonly text: string },
): Promise<NotedApproval> {
  const found = await findWithRun(deps, caller, id);
  const comment = { id: attempt.id, approvalId: id, runId: found.run.id, by: caller.sub, text };
  if (!(await deps.store.approvalNotes.comment(comment, MAX_COMMENTS)))
    throw new ApiError('TOO_MANY_KEPT', `An approval may have ${MAX_COMMENTS} comments`);
  return await showNoted(deps, caller, found);
}

/**
 * Reminds of a pending approval, once for all tries of the request.
 * @throws ApiError 404, 409 when it is closed, 429 when the last reminder is not long ago
 */
export async function remindOfApproval(
  deps: NoteDeps,
  caller: Caller,
  { id, attempt }: { readonly id: string; readonly attempt: RequestAttempt },
): Promise<NotedApproval> {
  const found = await findWithRun(deps, caller, id);
  const reminded = await deps.store.approvalNotes.remind({ id: attempt.id, approvalId: id }, REMIND_EVERY_SECONDS);
  if (reminded.kind === 'closed') requirePending(reminded.status);
  if (reminded.kind === 'too-soon') {
    const { secondsLeft } = reminded;
    throw new ApiError('TOO_SOON', `The last reminder is not ${REMIND_EVERY_SECONDS} s ago; wait ${secondsLeft} s`, {
      headers: { 'retry-after': String(secondsLeft) },
    });
  }
  return await showNoted(deps, caller, found);
}
