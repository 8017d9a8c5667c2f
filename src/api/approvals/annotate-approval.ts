import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, retryAfter } from '../http/errors.ts';
import { findWithRun, requirePending } from './find-approval.ts';
import { MAX_COMMENTS, readInboxApproval } from './inbox-approval.ts';
import type { NotedApproval } from './inbox-approval.ts';
import type { RequestAttempt } from '../http/admission.ts';

type NoteDeps = Pick<ApiDeps, 'store' | 'fingerprints'>;

/** The least time between two reminders of an approval. */
const REMIND_EVERY_SECONDS = 600;

/** A request about one approval. */
export interface ApprovalRequest {
  readonly id: string;
  readonly attempt: RequestAttempt;
}

/**
 * Adds a comment to an approval, once for all attempts of the request.
 * @throws ApiError 404, 409 when the limit of comments is reached
 */
export async function commentOnApproval(
  deps: NoteDeps,
  caller: Caller,
  { id, attempt }: ApprovalRequest,
  text: string,
): Promise<NotedApproval> {
  const found = await findWithRun(deps, caller, id);
  const comment = { id: attempt.id, approvalId: id, runId: found.run.id, by: caller.sub, text };
  if (!(await deps.store.approvalNotes.comment(comment, MAX_COMMENTS)))
    throw new ApiError('TOO_MANY_KEPT', `An approval may have ${MAX_COMMENTS} comments`);
  return await readInboxApproval(deps, caller, found);
}

/**
 * Records a reminder of a pending approval, once for all attempts of the request.
 * @throws ApiError 404, 409 when it is closed, 429 when the last reminder is too recent
 */
export async function remindOfApproval(
  deps: NoteDeps,
  caller: Caller,
  { id, attempt }: ApprovalRequest,
): Promise<NotedApproval> {
  const found = await findWithRun(deps, caller, id);
  const reminded = await deps.store.approvalNotes.remind({ id: attempt.id, approvalId: id }, REMIND_EVERY_SECONDS);
  if (reminded.kind === 'closed') requirePending(reminded.status);
  if (reminded.kind === 'too-soon') {
    const { secondsLeft } = reminded;
    const detail = `The last reminder is not ${REMIND_EVERY_SECONDS} s ago; wait ${secondsLeft} s`;
    throw retryAfter(secondsLeft, 'TOO_SOON', detail);
  }
  return await readInboxApproval(deps, caller, found);
}
