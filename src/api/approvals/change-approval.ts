import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, retryAfter, toApiError } from '../http/errors.ts';
import { findApprovalWithRun, requirePending, MAX_COMMENTS, readInboxApproval } from './inbox.ts';
import type { RequestAttempt } from '../http/admission.ts';
import type { Approval } from '../../graph/run/index.ts';
import { isJsonObject, toJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { afterSending, sendSignal } from '../runs/send-signal.ts';
import { untilApproval } from './decide-approval.ts';
import type { NotedApproval } from './inbox.ts';

type ApprovalNoteDeps = Pick<ApiDeps, 'store' | 'fingerprints'>;

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
  deps: ApprovalNoteDeps,
  caller: Caller,
  { id, attempt }: ApprovalRequest,
  text: string,
): Promise<NotedApproval> {
  const found = await findApprovalWithRun(deps, caller, id);
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
  deps: ApprovalNoteDeps,
  caller: Caller,
  { id, attempt }: ApprovalRequest,
): Promise<NotedApproval> {
  const found = await findApprovalWithRun(deps, caller, id);
  const reminded = await deps.store.approvalNotes.remind({ id: attempt.id, approvalId: id }, REMIND_EVERY_SECONDS);
  if (reminded.kind === 'closed') requirePending(reminded.status);
  if (reminded.kind === 'too-soon') {
    const { secondsLeft } = reminded;
    const detail = `The last reminder is not ${REMIND_EVERY_SECONDS} s ago; wait ${secondsLeft} s`;
    throw retryAfter(secondsLeft, 'TOO_SOON', detail);
  }
  return await readInboxApproval(deps, caller, found);
}

/** The people who may decide an approval from now on. */
interface NewDeciders {
  readonly roles: readonly string[];
  readonly users: readonly string[];
}

/**
 * Assigns a pending approval to other people; the run decides whether that is allowed.
 * @throws ApiError 404, 409 when it is closed, 403 and 422 as the run refuses it
 */
export async function reassignApproval(
  deps: ApiDeps,
  caller: Caller,
  { id, attempt }: ApprovalRequest,
  deciders: NewDeciders,
): Promise<NotedApproval> {
  const { approval, run } = await findApprovalWithRun(deps, caller, id);
  requirePending(approval.status);
  const payload = toJsonObject({ approvalId: id, ...deciders });
  const result = await sendSignal(deps, caller, run, { name: 'reassign', attempt, payload });
  if (!result.taken) throw toApiError(result.refusal);
  return await afterSending(async () => {
    const written = await untilReassigned(deps, approval, result.value);
    return await readInboxApproval(deps, caller, { approval: written, run });
  });
}

/** Reads the approval once its row has as many reassignments as the run's answer. @throws ApiError 503 */
async function untilReassigned(deps: Pick<ApiDeps, 'store'>, approval: Approval, value: Json): Promise<Approval> {
  const counted = isJsonObject(value) ? value['reassigned'] : undefined;
  const count = typeof counted === 'number' ? counted : 1;
  return await untilApproval(deps, approval, ({ reassigned = 0 }) => reassigned >= count);
}
