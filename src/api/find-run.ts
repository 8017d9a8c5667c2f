import type { RunRecord } from '../store/runs.ts';
import type { Caller } from './authenticate.ts';
import type { ApiDeps } from './environment.ts';
import { ApiError } from './errors.ts';

/** Finds a run that the caller may know of: one of another tenant is as if it were not there, but for an admin. */
export async function findRun({ store }: Pick<ApiDeps, 'store'>, caller: Caller, id: string): Promise<RunRecord> {
  const run = await store.runs.find(id);
  if (!run || !(run.tenantId === caller.tenantId || caller.permissions.has('admin'))) throw unknownRun(id);
  return run;
}

export function unknownRun(id: string): ApiError {
  return new ApiError('UNKNOWN_RUN', `There is no run "${id}"`);
}
