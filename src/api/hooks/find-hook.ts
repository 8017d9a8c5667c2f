import type { Hook, HookKey } from '../../store/hooks/hooks.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

/** Finds a hook of a tenant. @throws ApiError 404 */
export async function findHook({ store }: Pick<ApiDeps, 'store'>, at: HookKey): Promise<Hook> {
  const hook = await store.hooks.find(at);
  if (!hook) throw new ApiError('NOT_FOUND', `There is no "${at.name}" among the hooks of this tenant`);
  return hook;
}
