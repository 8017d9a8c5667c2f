import type { Approval } from '../../graph/run/index.ts';
import { isJsonObject, toJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { toApiError } from '../http/errors.ts';
import { afterSending, sendSignal } from '../runs/send-signal.ts';
import type { ApprovalRequest } from './annotate-approval.ts';
import { untilApproval } from './decide-approval.ts';
import { findWithRun, requirePending } from './find-approval.ts';
import { readInboxApproval } from './inbox-approval.ts';
import type { NotedApproval } from './inbox-approval.ts';

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
  const { approval, run } = await findWithRun(deps, caller, id);
  requirePending(approval.status);
  const payload = toJsonObject({ approvalId: id, ...deciders });
  const result = await sendSignal(deps, caller, run, { name: 'reassign', attempt, payload });
  if (!result.taken) throw toApiError(result.refusal);
  return await afterSending(async () => {
    const written = await readReassigned(deps, approval, result.value);
    return await readInboxApproval(deps, caller, { approval: written, run });
  });
}

/** Reads the approval once its row has as many reassignments as the run's answer. @throws ApiError 503 */
async function readReassigned(deps: Pick<ApiDeps, 'store'>, approval: Approval, value: Json): Promise<Approval> {
  const counted = isJsonObject(value) ? value['reassigned'] : undefined;
  const count = typeof counted === 'number' ? counted : 1;
  return await untilApproval(deps, approval, ({ reassigned = 0 }) => reassigned >= count);
}
