import type { KnownApproval } from '../../store/approvals.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { findRun } from '../runs/find-run.ts';

/** Finds an approval of the caller's tenant; an admin sees those of all tenants. @throws ApiError 404 */
export async function findApproval(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  id: string,
): Promise<KnownApproval> {
  const found = await store.approvals.find(id);
  if (!found || !(found.tenantId === caller.tenantId || caller.permissions.has('admin')))
    throw new ApiError('UNKNOWN_APPROVAL', `There is no approval "${id}"`);
  return found.approval;
}

/** An approval, and the run that asks for it. */
export interface ApprovalOfRun {
  readonly approval: KnownApproval;
  readonly run: RunRecord;
}

/** As `findApproval`, with its run. @throws ApiError 404 */
export async function findWithRun(deps: Pick<ApiDeps, 'store'>, caller: Caller, id: string): Promise<ApprovalOfRun> {
  const approval = await findApproval(deps, caller, id);
  return { approval, run: await findRun(deps, caller, approval.runId) };
}
