import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { maySeeTenant } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';

/** Finds a run of the caller's tenant; admins find runs of all tenants. @throws ApiError 404 */
export async function findRun({ store }: Pick<ApiDeps, 'store'>, caller: Caller, id: string): Promise<RunRecord> {
  const run = await store.runs.find(id);
  if (!run || !maySeeTenant(caller, run.tenantId)) throw unknownRun(id);
  return run;
}

export function unknownRun(id: string): ApiError {
  return new ApiError('UNKNOWN_RUN', `There is no run "${id}"`);
}
