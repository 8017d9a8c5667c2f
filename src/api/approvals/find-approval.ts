import type { Approval } from '../../graph/run/index.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';

/** Finds an approval of the caller's tenant; an admin sees those of all tenants. */
export async function findApproval({ store }: Pick<ApiDeps, 'store'>, caller: Caller, id: string): Promise<Approval> {
  const found = await store.approvals.find(id);
  if (!found || !(found.tenantId === caller.tenantId || caller.permissions.has('admin')))
    throw new ApiError('UNKNOWN_APPROVAL', `There is no approval "${id}"`);
  return found.approval;
}
