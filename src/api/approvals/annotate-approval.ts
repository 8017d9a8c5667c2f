import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { findWithRun } from './find-approval.ts';
import type { ApprovalOfRun } from './find-approval.ts';
import { hideAskedArgs } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { quorumProgressOf } from '../../graph/run/index.ts';
import type { PublicApproval, QuorumProgress, Approval } from '../../graph/run/index.ts';
import { isJsonObject, toJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { KnownApproval } from '../../store/approvals.ts';
import { whoDecides } from '../../wording/index.ts';
import type { Fingerprints } from '../http/fingerprints.ts';
import { shownApproval, hiddenFrom } from '../redaction.ts';
import { afterSending, sendSignal } from '../runs/send-signal.ts';
import { untilWritten } from './decide-approval.ts';
import { NO_NOTES } from '../../store/approval-notes.ts';
import type { Notes } from '../../store/approval-notes.ts';

type NoteDeps = Pick<ApiDeps, 'store' | 'fingerprints'>;

/** The least time between two reminders of an approval. */
const REMIND_EVERY_SECONDS = 600;

/** A request about one approval. */
interface ApprovalRequest {
  readonly id: string;
  readonly attempt: RequestAttempt;
}

interface NewComment extends ApprovalRequest {
  readonly text: string;
}

/**
 * Adds a comment to an approval, once for all attempts of the request.
 * @throws ApiError 404, 409 when the limit of comments is reached
 */
export async function commentOnApproval(
  deps: NoteDeps,
  caller: Caller,
  { id, attempt, text }: NewComment,
): Promise<NotedApproval> {
  const found = await findWithRun(deps, caller, id);
  const comment = { id: attempt.id, approvalId: id, runId: found.run.id, by: caller.sub, text };
  if (!(await deps.store.approvalNotes.comment(comment, MAX_COMMENTS)))
    throw new ApiError('TOO_MANY_KEPT', `An approval may have ${MAX_COMMENTS} comments`);
  return await showNoted(deps, caller, found);
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
    throw new ApiError('TOO_SOON', `The last reminder is not ${REMIND_EVERY_SECONDS} s ago; wait ${secondsLeft} s`, {
      headers: { 'retry-after': String(secondsLeft) },
    });
  }
  return await showNoted(deps, caller, found);
}

/** An approval with its policy as text, and its progress. */
export interface InboxApproval extends PublicApproval {
  /** The people who may decide it, formatted as text. */
  readonly who: string;
  readonly progress: QuorumProgress;
  /** The original arguments that the node requested; absent while no decision has edited them. */
  readonly askedArgs?: Json;
  readonly graph?: string;
  readonly closedAt?: string;
}

/** Builds the redacted inbox view of an approval. Its progress also counts decisions that are hidden. */
export function toInboxApproval(approval: KnownApproval, hidden: Redaction, fingerprints: Fingerprints): InboxApproval {
  const askedArgs = hideAskedArgs(approval, hidden);
  return {
    ...shownApproval(approval, hidden, fingerprints),
    who: whoDecides(approval.policy),
    progress: quorumProgressOf(approval),
    ...(askedArgs !== undefined && { askedArgs }),
  };
}

interface NewDeciders extends ApprovalRequest {
  readonly to: { readonly roles: readonly string[]; readonly users: readonly string[] };
}

/**
 * Assigns a pending approval to other people; the run decides whether that is allowed.
 * @throws ApiError 404, 409 when it is closed, 403 and 422 as the run refuses it
 */
export async function reassignApproval(
  deps: ApiDeps,
  caller: Caller,
  { id, attempt, to }: NewDeciders,
): Promise<NotedApproval> {
  const { approval, run } = await findWithRun(deps, caller, id);
  requirePending(approval.status);
  const payload = toJsonObject({ approvalId: id, ...to });
  const result = await sendSignal(deps, caller, run, { name: 'reassign', attempt, payload });
  if (!result.taken) throw toApiError(result.refusal);
  return await afterSending(async () => {
    const written = await readReassigned(deps, approval, result.value);
    return await showNoted(deps, caller, { approval: written, run });
  });
}

/** Reads the approval once its row has as many reassignments as the run's answer. @throws ApiError 503 */
async function readReassigned(deps: Pick<ApiDeps, 'store'>, approval: Approval, value: Json): Promise<Approval> {
  const counted = isJsonObject(value) ? value['reassigned'] : undefined;
  const count = typeof counted === 'number' ? counted : 1;
  return await untilWritten(deps, approval, ({ reassigned = 0 }) => reassigned >= count);
}

/** @throws ApiError 409 */
function requirePending(status: string): void {
  if (status !== 'pending') throw new ApiError('NOT_ALLOWED_NOW', `The approval is ${status}; nobody is awaited`);
}

/** Builds the view of an approval with its comments and reminders. */
export async function showNoted(
  deps: Pick<ApiDeps, 'store' | 'fingerprints'>,
  caller: Caller,
  { approval, run }: ApprovalOfRun,
): Promise<NotedApproval> {
  const shown = toInboxApproval(approval, hiddenFrom(caller, run), deps.fingerprints);
  const [noted] = await withNotes(deps, [shown], MAX_COMMENTS);
  return noted ?? { ...shown, ...NO_NOTES };
}

/** An approval with its comments and reminders. */
export type NotedApproval = InboxApproval & Notes;

/** The most comments of an approval. */
const MAX_COMMENTS = 100;
/** The number of latest comments that a list includes for each approval. */
export const COMMENTS_LISTED = 3;

/** Adds comments and reminders to approvals. @param most the number of latest comments of each approval */
export async function withNotes(
  { store }: Pick<ApiDeps, 'store'>,
  approvals: readonly InboxApproval[],
  most: number,
): Promise<readonly NotedApproval[]> {
  const notes = await store.approvalNotes.of(
    approvals.map(({ id }) => id),
    most,
  );
  return approvals.map((approval) => ({ ...approval, ...(notes.get(approval.id) ?? NO_NOTES) }));
}
