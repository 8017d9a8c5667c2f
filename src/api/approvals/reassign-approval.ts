import { isJsonObject, toJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { toApiError } from '../http/errors.ts';
import { afterSending } from '../runs/after-sending.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { findWithRun } from './find-approval.ts';
import { requirePending } from './require-pending.ts';
import { showNoted } from './show-noted.ts';
import { untilWritten } from './until-written.ts';
import type { NotedApproval } from './with-notes.ts';

interface WantedDeciders {
  readonly roles: readonly string[];
  readonly users: readonly string[];
}

/**
 * Gives a pending approval to other people; the run judges if it may be.
 * @throws ApiError 404, 409 when it is closed, 403 and 422 as the run refuses it
 */
export async function reassignApproval(
  deps: ApiDeps,
  caller: Caller,
  { id, attempt, to }: { readonly id: string; readonly attempt: RequestAttempt; readonly to: WantedDeciders },
): Promise<NotedApproval> {
  const { approval, run } = await findWithRun(deps, caller, id);
  requirePending(approval.status);
  const payload = toJsonObject({ approvalId: id, ...to });
  const result = await sendSignal(deps, caller, { run, signal: { name: 'reassign', attempt, payload } });
  if (!result.taken) throw toApiError(result.refusal);
  return await afterSending(async () => {
    const written = await readReassigned(deps, approval, result.value);
    return await showNoted(deps, caller, { approval: written, run });
  });
}

/**
 * Reads the approval once its row has as many reassignments as the run has counted; others may have followed.
 * @throws ApiError 503
 */
async function readReassigned(deps: Pick<ApiDeps, 'store'>, approval: Approval, value: Json): Promise<Approval> {
  const counted = isJsonObject(value) ? value['reassigned'] : undefined;
  const count = typeof counted === 'number' ? counted : 1;
  return await untilWritten(deps, approval, ({ reassigned = 0 }) => reassigned >= count);
}
